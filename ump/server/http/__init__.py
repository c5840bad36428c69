"""The site: its pages, its data and its logins."""
