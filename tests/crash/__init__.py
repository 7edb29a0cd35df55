"""Real processes on real files and sockets, really killed, and what is left audited from the files."""
