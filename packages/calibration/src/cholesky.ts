/** Solves linear systems, for Newton's method. */

/** Solves a symmetric positive definite system, given by its lower triangle, by Cholesky decomposition. */
export function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const size = right.length
  const lower: number[][] = matrix.map(() => [])
  for (let column = 0; column < size; column++) {
    for (let row = column; row < size; row++) {
      let value = matrix[row]![column]!
      for (let at = 0; at < column; at++) value -= lower[row]![at]! * lower[column]![at]!
      lower[row]![column] = row === column ? Math.sqrt(value) : value / lower[column]![column]!
    }
  }
  const solution = [...right]
  for (let row = 0; row < size; row++) {
    for (let at = 0; at < row; at++) solution[row]! -= lower[row]![at]! * solution[at]!
    solution[row]! /= lower[row]![row]!
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let at = row + 1; at < size; at++) solution[row]! -= lower[at]![row]! * solution[at]!
    solution[row]! /= lower[row]![row]!
  }
  return solution
}
