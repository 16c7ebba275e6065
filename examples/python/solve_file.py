"""Reads a problem, solves it, says what the answer is worth, writes it: solve_file.py PROBLEM.hdf5 [ANSWER.hdf5]"""
import sys

import cornet


def main(path, output=None):
    problem = cornet.read(path)
    print(problem)
    answer = cornet.solve(problem, tol=1e-8, quality=True)
    print(answer.message)
    if answer.status == "no_solution":
        print(answer.existence.meaning)
    counts = answer.contacts
    print(f"{counts['take_off']} contacts take off, {counts['stick']} stick, {counts['slide']} slide")
    for stage in answer.stages:
        print(f"  {stage['method']:<14} {stage['iterations']:>6} iterations  error {stage['error']:.1e}  ({stage['reason']})")
    if answer.quality.reactions_unique is False:
        print("other reactions give the same motion (hyperstatic)")
    if output:
        cornet.write(output, problem, answer)
        print("written:", output)
    return 0 if answer.solved else 1


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except cornet.Error as error:
        sys.exit(f"solve_file.py: {error}")
