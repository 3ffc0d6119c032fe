import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import { AppError, type FieldProblem } from '#server/errors.ts';
import { isCodeAttribute, isCodeKey } from '#server/formats/code-names.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { lockTenant } from '#server/identity/tenants/tenant-row.ts';
import { weightOfPattern } from '#server/matching/patterns/index.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import { onPatternThread } from '#server/platform/patterns/pattern-threads.ts';
import {
  type saveInput,
  type TextRules,
  type textRules,
  textRulesOf,
  type tried,
  type tryInput,
} from './schema.ts';

type View = z.infer<typeof textRules>;

/** Returns the rules of the transaction's tenant. */
export async function readTextRules(tx: Tx): Promise<TextRules> {
  const [row] = await tx
    .select({ stored: sql<unknown>`${tenants.metadata} -> 'text_rules'` })
    .from(tenants)
    .where(sql`${tenants.tenantId} = tenant_scope_from()`);
  return textRulesOf(row?.stored);
}

export function getTextRules(withTenant: WithTenant): Promise<View> {
  return withTenant(async (tx) => view(await readTextRules(tx)));
}

/**
 * Saves the rules of a tenant. They apply to the next text and file; a file that is being translated keeps the names with
 * which it was sent.
 * @throws AppError 409 state_conflict if the former rules do not have the version; 422 for a pattern or name that cannot be
 *   used
 */
export async function saveTextRules(
  origin: Origin,
  withTenant: WithTenant,
  { version, ...rules }: z.infer<typeof saveInput>,
): Promise<View> {
  refuse([
    ...rules.keys.flatMap((name, at) => (isCodeKey(name) ? codeName('keys', name, at) : [])),
    ...rules.attributes.flatMap((name, at) =>
      isCodeAttribute(name) ? codeName('attributes', name, at) : [],
    ),
  ]);
  // Before the patterns are compiled, and without a transaction while they are.
  const tenantId = await withTenant(async (_, { tenant }) => tenant.id);
  await requireUsable(rules.placeholders, { tenantId });
  return withTenant(async (tx, principal) => {
    await lockTenant(tx, tenantId);
    const before = view(await readTextRules(tx));
    const after = view(rules);
    // A request that was sent again after a lost response changes nothing.
    if (before.version === after.version) return before;
    if (version !== undefined && version !== before.version)
      throw new AppError('state_conflict', 'the rules have changed since they were read; read them again');
    await tx
      .update(tenants)
      .set({ metadata: sql`${tenants.metadata} || ${JSON.stringify({ text_rules: rules })}::jsonb` })
      .where(eq(tenants.tenantId, tenantId));
    await recordEvent(tx, origin, {
      action: 'text_rules_saved',
      tenantId,
      actor: actorOfPrincipal(principal),
      details: {
        text_rules_keys: rules.keys.length,
        text_rules_attributes: rules.attributes.length,
        text_rules_placeholders: rules.placeholders.length,
      },
    });
    return after;
  });
}

/**
 * Returns what patterns would keep in a text. Stores nothing.
 * @throws AppError 422 for a pattern that cannot be used, or if the search does not end in time
 */
export async function tryPatterns(
  withTenant: WithTenant,
  { placeholders, text }: z.infer<typeof tryInput>,
): Promise<z.infer<typeof tried>> {
  const tenantId = await withTenant(async (_, { tenant }) => tenant.id);
  await requireUsable(placeholders, { tenantId });
  if (placeholders.length === 0) return { found: [] };
  const asked = { patterns: placeholders, texts: [text] };
  const found = await onPatternThread('match', asked, { tenantId }, () => null);
  if (!found)
    throw new AppError('unprocessable', 'the patterns take too long for this text; use shorter ones');
  return { found: found[0]!.map(([start, end]) => ({ start, end })) };
}

function view({ keys, attributes, placeholders }: TextRules): View {
  const rules = { keys, attributes, placeholders };
  return { ...rules, version: createHash('md5').update(JSON.stringify(rules)).digest('hex') };
}

const codeName = (field: 'keys' | 'attributes', name: string, at: number): FieldProblem => ({
  loc: ['body', field, at],
  msg: `“${name}” is read by browsers and never has a text`,
  type: 'custom',
});

/**
 * The weights of one pattern and of all: far less than for a search, because the patterns run on all texts of the workspace.
 * Patterns of the total weight search 10,000 characters in less than a second.
 */
const weights = { one: 300, all: 600 } as const;

/** @throws AppError 422 for patterns that are too large, invalid, or match an empty text */
async function requireUsable(patterns: readonly string[], scope: SlotScope): Promise<void> {
  if (patterns.length === 0) return;
  const weighed = patterns.map((pattern) => weightOfPattern(pattern));
  const tooLarge = (weight: number, most: number) =>
    `would have ${weight < 1e9 ? `${Math.ceil(weight)} parts` : 'more than a billion parts'} with all repetitions written out; at most ${most} are allowed`;
  refuse(
    weighed.flatMap((weight, at) =>
      weight > weights.one ? problemOf(patterns, at, `the pattern ${tooLarge(weight, weights.one)}`) : [],
    ),
  );
  const sum = weighed.reduce((all, weight) => all + weight, 0);
  if (sum > weights.all)
    refuse([
      {
        loc: ['body', 'placeholders'],
        msg: `the patterns together ${tooLarge(sum, weights.all)}`,
        type: 'custom',
      },
    ]);
  const results = await onPatternThread('check', { patterns }, scope, () =>
    patterns.map(() => ({ problem: 'the patterns take too long to compile; use fewer or shorter ones' })),
  );
  refuse(
    results.flatMap((result, at) => {
      if ('problem' in result) return problemOf(patterns, at, result.problem.replace(/^pattern: /, ''));
      return result.matchesNothing ? problemOf(patterns, at, 'the pattern must not match an empty text') : [];
    }),
  );
}

const problemOf = (patterns: readonly string[], at: number, reason: string): FieldProblem => ({
  loc: ['body', 'placeholders', at],
  msg: `“${patterns[at]}”: ${reason}`,
  type: 'custom',
});

function refuse(problems: FieldProblem[]): void {
  if (problems.length > 0) throw new AppError('invalid_fields', problems);
}
