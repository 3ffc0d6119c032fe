import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/**
 * Whether an approval confirms critical issues. On `/trpc`, which reviewers use, a confirmation is required by default;
 * in the documented API only if the request sends `false`.
 * @returns undefined if no confirmation is required
 */
export function confirmationOf(
  { transport }: Pick<RequestContext, 'transport'>,
  said: boolean | undefined,
): boolean | undefined {
  return transport === 'rpc' ? (said ?? false) : said;
}

/** The error of an approval that does not confirm the critical issues. On `/trpc`, it includes `findings`. */
export class UnconfirmedFindings extends AppError {
  readonly findings: readonly unknown[];
  constructor(what: string, findings: readonly unknown[]) {
    super(
      'critical_findings',
      `${what} has critical findings; fix them, or confirm them with confirm_critical: true`,
      { present: { critical_findings: findings } },
    );
    this.findings = findings;
  }
}

/**
 * The error of an item in an approval of several items: the caller has not opened this item, and has not named it
 * explicitly.
 */
export class Unopened extends AppError {
  constructor(what: string) {
    super('conflict', `${what} was not opened; open it first, or confirm it with confirm_unopened`);
  }
}

/** If an approval of several items skips an item because of this error, returns the reason; otherwise undefined. */
export function leftOutOf(error: unknown) {
  if (error instanceof Unopened) return { reason: 'unopened', critical_findings: [] } as const;
  if (error instanceof UnconfirmedFindings)
    return { reason: 'critical_findings', critical_findings: error.findings } as const;
  return undefined;
}
