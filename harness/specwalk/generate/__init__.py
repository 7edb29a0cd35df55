"""Writes files for a project from templates: skeletons of models, with what a spec says of each part."""
