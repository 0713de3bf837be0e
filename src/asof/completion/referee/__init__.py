"""A referee for anybody's predictions: scores and ranked lists are ranked under every published protocol at once."""
