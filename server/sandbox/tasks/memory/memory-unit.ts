/** A unit that is stored. */
export interface MemoryUnit {
  /** Among the file's usable units, from 1. */
  position: number;
  source: string;
  target: string;
  tuid: string | null;
  /** ISO 8601. */
  changedate: string | null;
}
