import { readFileSync } from 'node:fs';
import type { GuardName, Scope } from '#server/context.ts';

/** The callers of a procedure. */
export interface Right {
  guard: GuardName;
  /** An API key needs one of them; undefined if the guard accepts no API keys. */
  scopes: readonly Scope[] | undefined;
  /** Whether visitors of the demo workspace may call it. */
  visitors: boolean;
}

/** The rights of all procedures, as `docs/rules/rights.tsv` states them. */
export const rights: ReadonlyMap<string, Right> = new Map(
  readFileSync(new URL('../../../docs/rules/rights.tsv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line): [string, Right] => {
      const [path = '', guard, scopes, visitors] = line.split('\t');
      const allowing = scopes ? (scopes.split(' ') as Scope[]) : undefined;
      return [path, { guard: guard as GuardName, scopes: allowing, visitors: visitors === 'yes' }];
    }),
);

/** Returns the right of a procedure. */
export function rightOf(path: string): Right {
  const right = rights.get(path);
  if (!right) throw new Error(`docs/rules/rights.tsv has no line of ${path}`);
  return right;
}
