"""The paper's tasks and others whose data lie in the user's folder, each with known gold."""
