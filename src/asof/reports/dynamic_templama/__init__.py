"""The page's part about facts that change from period to period: the views of Margatina et al. 2023, and the cutoff."""
