import { z } from 'zod';
import { calendarDate } from '#server/billing/metering/schema.ts';
import { itemRefusal } from '#server/http/bulk.ts';
import { languageCode, memberLanguage, memberLanguages } from '#server/identity/members/schema.ts';
import { moment } from '#server/platform/input-limits.ts';
import { dateTime } from '#server/translation/agent-run-schema.ts';
import { distinct, reviewItem } from '../schema.ts';

/** Text on one line, without control characters. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must not contain control characters');

const userId = z.string().min(1).max(100);
const comment = z.string().trim().max(2000);

const isTimeZone = (name: string): boolean => {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const ownProfile = {
  display_name: line(100).describe('The name that colleagues see; empty for the email address.'),
  time_zone: z
    .string()
    .max(60)
    .refine(isTimeZone, 'must be a time zone of IANA, such as Europe/Lisbon')
    .describe('The IANA name of a time zone.'),
  away_from: calendarDate.nullable().describe('The first day of an absence; null without one.'),
  away_to: calendarDate.nullable().describe('The last day of the absence; null without one.'),
};

export const profile = z.object({
  user_id: z.string().describe('The ID of the member.'),
  email: z.string().describe('The email address of the member.'),
  name: z.string().describe('The display name or, without one, the email address.'),
  ...ownProfile,
  languages: z
    .array(memberLanguage)
    .describe('The languages of the member. A member without languages may review all of them.'),
  is_away: z.boolean().describe('Whether the member is absent today, in the own time zone.'),
});

export const profilePage = z.object({
  members: z.array(profile).describe('Active members, in the order of their IDs.'),
  next_cursor: z.string().nullable().describe('For the next page; null on the last one.'),
});

const memberPageInput = {
  limit: z.int().min(1).max(200).default(200).describe('The maximum number of members.'),
  cursor: userId.optional().describe('`next_cursor` of the previous page.'),
};

export const profilesInput = z
  .object({ user_id: userId.optional().describe('Only this member.'), ...memberPageInput })
  .prefault({});

export const saveProfileInput = z
  .object({
    user_id: userId
      .optional()
      .describe('The member; by default, the caller. Others only for administrators.'),
    ...z.object(ownProfile).partial().shape,
    languages: memberLanguages.optional().describe('Replaces the languages. Only for administrators.'),
  })
  .refine(
    ({ away_from: from, away_to: to }) =>
      (from === undefined) === (to === undefined) &&
      (from === null) === (to === null) &&
      (from ?? '') <= (to ?? ''),
    'an absence has a first and a last day, in this order',
  );

const member = z.object({
  user_id: z.string().describe('The ID of the member.'),
  name: z.string().describe('The display name or, without one, the email address.'),
});

export const assignment = reviewItem.extend({
  title: z.string().describe('The name of the file, or the first 200 characters of the text.'),
  format: z.string().nullable().describe('The format of the file; null for a text.'),
  source_lang: z.string().describe('The source language.'),
  target_lang: z.string().describe('The target language.'),
  domain: z.string().nullable().describe('The subject; null without one.'),
  words: z.int().describe('The words of the source when the item began to await review.'),
  assignee: member.nullable().describe('The first reviewer; null if the item is unassigned.'),
  four_eyes: z.boolean().describe('Whether another member must make a second review.'),
  second: member.nullable().describe('The second reviewer; null if none is set.'),
  step: z.enum(['first', 'second']).describe('The review that is next.'),
  due_at: dateTime.nullable().describe('The due date; null without one.'),
  is_overdue: z.boolean().describe('Whether the due date is over.'),
  comment: z.string().nullable().describe('The latest comment for the present reviewers.'),
  assigned_by: member
    .nullable()
    .describe('Who assigned the present reviewers or commented since then; null if a rule did.'),
  assigned_at: dateTime.nullable().describe('The time of the latest change; null without one.'),
  waiting_since: dateTime.describe('When the item began to await review.'),
  version: z.int().describe('Changes with each change of the assignment; 0 without one.'),
});

export const assignmentPage = z.object({
  items: z.array(assignment).describe('In the order of the list.'),
  next_cursor: z.string().nullable().describe('For the next page; null on the last one.'),
});

const page = {
  limit: z.int().min(1).max(200).default(50).describe('The maximum number of items.'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the previous page.'),
};

export const mineInput = z
  .object({
    state: z
      .enum(['open', 'upcoming'])
      .default('open')
      .describe(
        '`open`: it is the turn of the caller. `upcoming`: second reviews whose first one is not complete.',
      ),
    ...page,
  })
  .prefault({});

export const listInput = z
  .object({
    state: z
      .enum(['assigned', 'unassigned', 'overdue'])
      .default('assigned')
      .describe(
        '`unassigned`: items that await review without an assignee, the oldest first. Others by due date.',
      ),
    holder: userId.optional().describe('Only items whose next review is by this member.'),
    items: distinct(reviewItem, { max: 100, keyOf: ({ kind, id }) => `${kind} ${id}`, what: 'an item' })
      .optional()
      .describe(
        'Only those of these items that await review, at most 100, in one page; without other filters.',
      ),
    ...page,
  })
  .prefault({});

export const assignInput = z
  .object({
    items: distinct(
      reviewItem.extend({
        version: z
          .int()
          .min(0)
          .optional()
          .describe('Rejects the change (409) if the assignment has another version.'),
      }),
      { max: 500, keyOf: ({ kind, id }) => `${kind} ${id}`, what: 'an item' },
    ).describe('The items, at most 500.'),
    assignee: userId
      .nullable()
      .optional()
      .describe('The first reviewer; null to unassign. If omitted, the assignee stays.'),
    second: userId
      .nullable()
      .optional()
      .describe(
        'The second reviewer. Null: no second review is needed. If omitted, this stays. Only for administrators.',
      ),
    due_at: moment
      .refine((time) => time > '2000' && time < '2200', 'must be in this century')
      .nullable()
      .optional()
      .describe('ISO 8601 with a time zone. If omitted, the due date stays. Only for administrators.'),
    comment: comment.optional().describe('A comment for the member, at most 2000 characters.'),
  })
  .refine(
    ({ assignee, second, due_at }) => assignee !== undefined || second !== undefined || due_at !== undefined,
    'must have assignee, second or due_at',
  )
  .refine(
    ({ assignee, second }) => assignee == null || assignee !== second,
    'the second reviewer must be another member',
  );

export const assignOutcomes = z.object({
  results: z
    .array(
      z.discriminatedUnion('outcome', [
        z.object({
          outcome: z.literal('done').describe('The assignment has changed.'),
          ...reviewItem.shape,
          version: z.int().describe('The new version.'),
        }),
        z.object({
          outcome: z.literal('refused').describe('The change was rejected; nothing has changed.'),
          ...reviewItem.shape,
          ...itemRefusal.shape,
          assignee: member.nullable().describe('The present assignee.'),
          version: z.int().describe('The present version.'),
        }),
      ]),
    )
    .describe('One result for each item, in the order of `items`.'),
});

export const passInput = reviewItem.extend({
  version: z
    .int()
    .min(0)
    .optional()
    .describe('Rejects the change (409) if the assignment has another version.'),
  back: z
    .boolean()
    .default(false)
    .describe('With `true`, the second reviewer passes the item back to the first one.'),
  comment: comment.optional().describe('A comment for the other reviewer, at most 2000 characters.'),
});

export const passed = reviewItem.extend({
  step: z.enum(['first', 'second']).describe('The review that is next.'),
  version: z.int().describe('The new version of the assignment.'),
});

export const loadPage = z.object({
  members: z
    .array(
      z.object({
        ...member.shape,
        is_away: z.boolean().describe('Whether the member is absent today.'),
        away_from: calendarDate.nullable().describe('The first day of an absence; null without one.'),
        away_to: calendarDate.nullable().describe('The last day of the absence; null without one.'),
        items: z.int().describe('Items whose next review is by the member.'),
        words: z.int().describe('The words of these items.'),
        overdue: z.int().describe('Items whose due date is over.'),
        at_risk: z
          .int()
          .nullable()
          .describe(
            'Items that are not overdue, but will be at the measured speed; null if the speed is not known.',
          ),
        upcoming: z.int().describe('Second reviews whose first one is not complete.'),
        words_per_hour: z
          .number()
          .nullable()
          .describe(
            'Words of texts for each hour of review in the last 30 days; null with fewer than 5 timed reviews.',
          ),
        next_due_at: dateTime.nullable().describe('The first due date.'),
      }),
    )
    .describe('Active members, in the order of their IDs.'),
  unassigned: z.int().describe('Items without an assignee; at most 10000 are counted.'),
  next_cursor: z.string().nullable().describe('For the next page; null on the last one.'),
});

export const loadInput = z.object(memberPageInput).prefault({});

const who = z
  .union([z.literal('fewest_words'), z.object({ member: userId.describe('The ID of the member.') })])
  .describe('A member, or the one with the fewest words among those with the languages who are not absent.');

const assignmentRule = z.object({
  source_lang: languageCode.optional().describe('The source language.'),
  target_lang: languageCode.optional().describe('The target language.'),
  domain: line(100).optional().describe('The domain, in any case.'),
  glossary: line(200).optional().describe('The ID of a glossary that the translation used.'),
  min_words: z.int().min(0).max(10_000_000).optional().describe('The fewest words of the source.'),
  max_words: z.int().min(0).max(10_000_000).optional().describe('The most words of the source.'),
  regulated: z
    .boolean()
    .optional()
    .describe('Whether the domain is regulated, or the request marks the text as sensitive.'),
  assignee: who.nullable().describe('Null: only the due date and the second review are set.'),
  second: who.nullable().describe('Null: no second review is needed.'),
  due: z
    .union([
      z.object({ working_days: z.int().min(0).max(250).describe('Working days after today.') }),
      z.object({ hours: z.int().min(1).max(6000).describe('Hours after the assignment.') }),
    ])
    .nullable()
    .describe('Working days end at 18:00 in the time zone of the assignee, Monday to Friday.'),
});

const rules = z
  .array(assignmentRule)
  .max(50)
  .describe('For each item, the first rule applies whose conditions all hold.');

export const assignmentRules = z.object({
  rules,
  version: z.string().describe('Changes with the rules.'),
});

export const saveRulesInput = z.object({
  rules,
  version: z
    .string()
    .max(64)
    .optional()
    .describe('The `version` that was read. Rejects the change (409) if the rules have another one.'),
});

export type Profile = z.infer<typeof profile>;
export type ProfilePage = z.infer<typeof profilePage>;
export type ProfilesInput = z.infer<typeof profilesInput>;
export type SaveProfileInput = z.infer<typeof saveProfileInput>;
export type Assignment = z.infer<typeof assignment>;
export type AssignmentPage = z.infer<typeof assignmentPage>;
export type MineInput = z.infer<typeof mineInput>;
export type ListInput = z.infer<typeof listInput>;
export type AssignInput = z.infer<typeof assignInput>;
export type AssignOutcomes = z.infer<typeof assignOutcomes>;
export type PassInput = z.infer<typeof passInput>;
export type Passed = z.infer<typeof passed>;
export type LoadPage = z.infer<typeof loadPage>;
export type AssignmentRule = z.infer<typeof assignmentRule>;
export type AssignmentRules = z.infer<typeof assignmentRules>;
export type SaveRulesInput = z.infer<typeof saveRulesInput>;
