"""What may be wrong, a subject a file. Pure: a case goes in, diagnoses come out."""
