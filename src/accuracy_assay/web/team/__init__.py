"""The Team page: members, agreement, disputes and invitations."""
