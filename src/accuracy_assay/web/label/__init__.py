"""The Label page: instances, what they show, and annotators' answers."""
