"""What a trained model has understood of time, and what simple counting would have got (Jain et al. 2020, 5.3)."""
