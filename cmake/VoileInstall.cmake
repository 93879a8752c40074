# Written by the install rules of the project.
