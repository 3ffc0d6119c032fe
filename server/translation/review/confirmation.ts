import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/**
 * Whether an approval confirms critical issues. `/trpc`, which reviewers use, requires a confirmation by default; the
 * documented API only if it sends `false`.
 * @returns undefined: not required
 */
export function confirmationOf(
  { transport }: Pick<RequestContext, 'transport'>,
  said: boolean | undefined,
): boolean | undefined {
  return transport === 'rpc' ? (said ?? false) : said;
}

/** The error for an approval whose critical issues are not confirmed. Over `/trpc` it includes `findings`. */
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

/** The error for an approval of several items: the caller has not opened this one, and has not named it explicitly. */
export class Unopened extends AppError {
  constructor(what: string) {
    super('conflict', `${what} was not opened; open it, or name it explicitly`);
  }
}

/** Whether an approval of several items skips this one, and the reason. */
export function leftOutOf(error: unknown) {
  if (error instanceof Unopened) return { reason: 'unopened', critical_findings: [] } as const;
  if (error instanceof UnconfirmedFindings)
    return { reason: 'critical_findings', critical_findings: error.findings } as const;
  return undefined;
}
