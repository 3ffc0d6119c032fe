import { createHash, type Hash } from 'node:crypto';

const newline = 10;
const lanes = 8;

/**
 * A digest of a table's rows that does not depend on their order: the sums of their SHA-256 hashes, and the number of
 * rows. The order must not matter, because PostgreSQL stores a row on any page with space, so that a loaded table may
 * return its rows in another order than the original.
 */
export class RowDigest {
  /** The number of rows. */
  rows = 0;
  private readonly sums = new Uint32Array(lanes);
  private row: Hash | undefined;

  /** Adds rows in the text format of COPY, with one line per row. A piece may end in the middle of a line. */
  update(piece: Buffer): void {
    let from = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      this.add((this.row ?? createHash('sha256')).update(piece.subarray(from, end)).digest());
      this.row = undefined;
      from = end + 1;
    }
    if (from < piece.length) this.row = (this.row ?? createHash('sha256')).update(piece.subarray(from));
  }

  toString(): string {
    return `${this.rows}:${this.sums.join('.')}`;
  }

  private add(hash: Buffer): void {
    this.rows += 1;
    // The sums may overflow: elements of a Uint32Array wrap around.
    for (let lane = 0; lane < lanes; lane++)
      this.sums[lane] = (this.sums[lane] as number) + hash.readUInt32LE(4 * lane);
  }
}
