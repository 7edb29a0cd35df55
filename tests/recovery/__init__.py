"""The study of permission to retry: providers, scripted schedules, real workers, and their grades."""
