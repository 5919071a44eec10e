/** A pivot smaller than this part of its column's square sum means that a term depends on the others. */
const DEPENDENT = 1e-12;

/**
 * A linear regression that takes one observation after the other: ordinary least squares by the normal equations, solved by
 * Cholesky's method. `width` is the number of terms.
 */
export function createLeastSquares(width: number) {
  const squares = Array.from({ length: width }, () => new Array<number>(width).fill(0));
  const products = new Array<number>(width).fill(0);
  return {
    add(terms: readonly number[], value: number): void {
      terms.forEach((term, row) => {
        products[row] = (products[row] ?? 0) + term * value;
        const sums = squares[row] ?? [];
        terms.forEach((other, column) => {
          sums[column] = (sums[column] ?? 0) + term * other;
        });
      });
    },
    /** Null if the observations do not determine the coefficients. */
    coefficients: () => solve(squares, products),
  };
}

export type LeastSquares = ReturnType<typeof createLeastSquares>;

/** Solves `squares · x = products` for a symmetric, positive definite matrix; null for any other. */
function solve(squares: readonly number[][], products: readonly number[]): number[] | null {
  const width = products.length;
  const root = squares.map((row) => row.slice());
  const at = (row: number, column: number) => root[row]?.[column] ?? Number.NaN;
  const set = (row: number, column: number, value: number) => {
    const values = root[row];
    if (values) values[column] = value;
  };
  for (let column = 0; column < width; column += 1) {
    for (let row = column; row < width; row += 1) {
      let rest = at(row, column);
      for (let k = 0; k < column; k += 1) rest -= at(row, k) * at(column, k);
      if (row > column) set(row, column, rest / at(column, column));
      else if (rest > DEPENDENT * (squares[row]?.[row] ?? 0)) set(row, row, Math.sqrt(rest));
      else return null;
    }
  }
  const result = products.slice();
  for (let row = 0; row < width; row += 1) {
    let rest = result[row] ?? Number.NaN;
    for (let k = 0; k < row; k += 1) rest -= at(row, k) * (result[k] ?? Number.NaN);
    result[row] = rest / at(row, row);
  }
  for (let row = width - 1; row >= 0; row -= 1) {
    let rest = result[row] ?? Number.NaN;
    for (let k = row + 1; k < width; k += 1) rest -= at(k, row) * (result[k] ?? Number.NaN);
    result[row] = rest / at(row, row);
  }
  return result;
}
