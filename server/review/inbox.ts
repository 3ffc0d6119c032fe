import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { layoutKindNames } from '#server/formats/layout-kinds.ts';
import { id } from '#server/translation/agent-run-schema.ts';
import type { ReviewItem } from './schema.ts';

/** Maximum number of members that are listed as holders of an item. */
export const maxHolders = 20;

/** The severities of tasks, the most severe first. */
export const severities = ['critical', 'warning', 'rule'] as const;

const task = {
  severity: z
    .enum(severities)
    .describe(
      '`critical`: it has critical findings. `warning`: it has other findings. `rule`: it has none, and awaits a decision.',
    ),
  waiting_since: z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' }),
  holders: z
    .array(z.string())
    .describe('Other members who work on it: email addresses or user IDs; at most 20.'),
  is_claimed: z.boolean().describe('Whether the caller has a claim on it.'),
  is_opened: z.boolean().describe('Whether the caller has opened it in the last 90 days.'),
  assignees: z
    .array(z.string())
    .describe('The names of the members who review it, or texts of the group, next; at most 20.'),
  is_assigned: z.boolean().describe('Whether the caller is one of these members.'),
  unassigned: z.int().describe('The number of its items that no one reviews next: a document is one item.'),
  due_at: z
    .string()
    .nullable()
    .describe('The earliest due date, in ISO 8601; null if no item has a due date.'),
};

/** A translated document that is not approved. */
const documentTask = z.object({
  kind: z.literal('document'),
  ...task,
  id,
  name: z.string().describe('The name of the source file.'),
  format: z.enum(layoutKindNames),
  source_lang: z.string(),
  target_lang: z.string(),
  domain: z.string().nullable(),
  submitter: z.string().nullable().describe('Null: the service does not store who submitted a file.'),
  segments: z.int().describe('The number of segments.'),
  confirmed: z.int().describe('Segments that a reviewer confirmed.'),
  drafts: z
    .int()
    .nullable()
    .describe('Segments that a reviewer changed, without findings, and did not confirm; null if not known.'),
  critical: z.int().describe('Unconfirmed segments with critical findings.'),
  warnings: z.int().describe('Other unconfirmed segments that need a review.'),
});

/** Texts that await review and have the same languages, domain and submitter. */
const textsTask = z.object({
  kind: z.literal('texts'),
  ...task,
  filter: z
    .object({
      source_lang: z.string(),
      target_lang: z.string(),
      domain: z.string().nullable().describe('Null: only texts without a domain.'),
      submitter: z
        .string()
        .nullable()
        .describe('The text in `request.metadata.submitter`. Null: only texts without one.'),
    })
    .describe('What the texts of the group have in common, and no other texts.'),
  texts: z.int().describe('The number of texts.'),
  critical: z.int().describe('Texts with critical findings.'),
  warnings: z.int().describe('Texts with other findings, or with a score below the threshold.'),
  held: z.int().describe('Texts without findings, which a rule holds for review.'),
  drafts: z.int().describe('Texts among these for which a reviewer saved a draft.'),
  first: id.describe('The text to open first: the most severe one; among equally severe ones, the oldest.'),
});

/** Output of `reviews.inbox`. */
export const inbox = z.object({
  tasks: z
    .array(z.discriminatedUnion('kind', [documentTask, textsTask]))
    .describe('The most severe first; equally severe ones by age, the oldest first.'),
  more: z
    .object({
      documents: z.boolean().describe('Whether more documents may await review than the listed ones.'),
      texts: z.boolean().describe('Whether more texts await review than the counted ones.'),
    })
    .describe('At most 100 documents, 2,000 texts and 100 groups of texts are listed.'),
});

export type DocumentTask = z.infer<typeof documentTask>;
export type TextsTask = z.infer<typeof textsTask>;
export type Inbox = z.infer<typeof inbox>;

/** The tasks of one kind, and whether there may be more than the listed ones. */
export interface Tasks<Task = DocumentTask | TextsTask> {
  tasks: Task[];
  more: boolean;
}

/** A live claim as a query returns it: the holder, and whether it is the calling member. */
export type LiveClaim = [holder: string, own: boolean];

interface Member {
  tenantId: string;
  userId: string;
}

/** SQL: matches the rows `o` of a table about items. */
function isAbout({ tenantId }: Member, kind: ReviewItem['kind'], itemId: SQL): SQL {
  return sql`o.tenant_id = ${tenantId} and o.item_kind = ${sql.raw(`'${kind}'`)} and o.item_id = ${itemId}`;
}

/** SQL: whether the member has opened an item. */
export function isOpened(member: Member, kind: ReviewItem['kind'], itemId: SQL): SQL {
  return sql`exists(select from review_openings o where ${isAbout(member, kind, itemId)} and o.user_id = ${member.userId})`;
}

/** SQL: the live claims on an item as `LiveClaim`s; null without claims. */
export function claimsOn(member: Member, kind: ReviewItem['kind'], itemId: SQL): SQL {
  return sql`(
    select json_agg(json_build_array(o.holder, o.user_id = ${member.userId}) order by o.claimed_at, o.user_id)
    from review_claims o where ${isAbout(member, kind, itemId)} and o.expires_at > now())`;
}

/** The columns of a query about the state of a task. */
export interface TaskState {
  since: string;
  opened: boolean;
  assignees: string[];
  is_assigned: boolean;
  unassigned: number;
  due: string | null;
}

/** Returns the fields of a task that depend on its findings, its claims, its assignments and the calling member. */
export function taskFields(
  { critical, warnings }: { critical: number; warnings: number },
  { since, opened, due, assignees, is_assigned, unassigned }: TaskState,
  claims: readonly LiveClaim[],
) {
  const others = claims.flatMap(([holder, own]) => (own ? [] : [holder]));
  return {
    severity: severities[critical > 0 ? 0 : warnings > 0 ? 1 : 2],
    waiting_since: new Date(since).toISOString(),
    holders: [...new Set(others)].slice(0, maxHolders),
    is_claimed: claims.some(([, own]) => own),
    is_opened: opened,
    assignees: assignees.slice(0, maxHolders),
    ...{ is_assigned, unassigned },
    due_at: due && new Date(due).toISOString(),
  };
}
