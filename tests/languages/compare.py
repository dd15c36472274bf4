#!/usr/bin/env python3
"""compare.py CASES NAME=FILE...  compares what the drivers have written.

All must have the same line for each case. Of the name `fftw` only those that the table marks are wanted.
"""
import sys

cases, files = sys.argv[1], dict(text.split("=", 1) for text in sys.argv[2:])
table = [line.split() for line in open(cases) if line.strip() and not line.startswith("#")]
names = [row[0] for row in table]
said, complaints = {}, []

for language, file in files.items():
    said[language] = dict(line.strip().split(maxsplit=1) for line in open(file))
    for name, *_, interface in table:
        if name not in said[language] and (language != "fftw" or interface != "no"):
            complaints.append(f"{language} says nothing of {name}")

for name in names:
    answers = {language: lines[name].lower() for language, lines in said.items() if name in lines}
    if len(set(answers.values())) > 1:
        complaints.append(f"{name}: " + ", ".join(f"{language} {answer}" for language, answer in answers.items()))
done = sum(line != "declined" for line in next(iter(said.values())).values())
if done < 0.8 * len(names):
    complaints.append(f"only {done} of {len(names)} cases were transformed")
print("\n".join(complaints))
print(f"{len(names)} cases, {done} transformed, in {len(said)} languages: {len(complaints)} complaints")
sys.exit(1 if complaints or len(said) < 2 else 0)
