"""What every training shares: settings, checkpoints that resume to the bit, a log of epochs, the folder of a model."""
