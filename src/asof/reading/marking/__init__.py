"""An encoder that marks answers: taught on general questions, then on questions that have lost their time."""
