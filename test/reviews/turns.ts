import type { Fields } from '#test/factories.ts';
import { type DefinedProcedure, namesOf, procedures } from '../contract/procedures.ts';

/** Whom an item asks. */
export type Rule = 'none' | 'assigned' | 'four eyes';
export type State = 'open' | 'passed' | 'approved' | 'reopened';
export const callers = [
  'first',
  'second',
  'other',
  'administrator',
  'administrator after taking over',
  'key',
  'operator',
] as const;
export type Caller = (typeof callers)[number];
export type Kind = 'job' | 'document';

/** An item in a state, as a caller has just read it. */
export interface Item {
  kind: Kind;
  id: string;
  updated_at: string;
  /** The segment of a document whose translation is changed, and the change that the first reviewer made to it before. */
  segment: Fields;
  change_id: string;
  /** The ID of an open finding of the item. */
  finding_id: string;
  /** The position and translation of the segment with the finding. */
  found: Fields;
  /** The XLIFF document of the item with another translation. */
  xliff: string;
}

/** A way to write an item. */
interface Way {
  kind: Kind;
  /** The procedure. */
  path: string;
  /** Distinguishes several ways through one procedure. */
  as?: string;
  input: (item: Item) => Fields;
  /** Whether it closes the review; then the languages of the caller count, and an approved item is not refused with 409. */
  publishes?: boolean;
  /** Only the author of the change and administrators undo it. */
  isOwn?: boolean;
  /** It neither publishes nor confirms all of an item with a second review, because it does not name a version. */
  isBlind?: boolean;
}

const ofJob = ({ id }: Item) => ({ job_id: id });
const seenJob = (item: Item) => ({ job_id: item.id, updated_at: item.updated_at });
const ofDocument = ({ id }: Item) => ({ document_id: id });
const changed = { final_translation: 'Changed' };
const publishing = (action: string, fields: Fields = {}) => ({ action, confirm_critical: true, ...fields });

/** The ways to write an item, by procedure. */
export const ways: readonly Way[] = [
  ...(['save', 'approve', 'modify', 'reject'] as const).flatMap((action): Way[] => {
    const fields = publishing(action, action === 'save' || action === 'modify' ? changed : {});
    const publishes = action === 'approve' || action === 'modify';
    const review = (item: Item) => ({ ...seenJob(item), ...fields });
    const of = { kind: 'job', as: action, publishes } as const;
    return [
      { ...of, path: 'translations.review', input: review },
      { ...of, path: 'translations.act', input: review },
      {
        ...of,
        path: 'translations.reviewMany',
        input: (item) => ({ reviews: [{ ...review(item), confirm_unopened: true }] }),
      },
    ];
  }),
  {
    kind: 'job',
    path: 'translations.reviewXliff',
    as: 'save',
    input: (item) => ({ ...ofJob(item), body: item.xliff }),
  },
  {
    kind: 'job',
    path: 'translations.reviewXliff',
    as: 'approve',
    input: (item) => ({ ...ofJob(item), body: item.xliff, action: 'approve' }),
    publishes: true,
  },
  {
    kind: 'job',
    path: 'translations.resolve',
    input: (item) => ({
      ...seenJob(item),
      finding_id: item.finding_id,
      resolution: 'not_an_error',
      reason: 'It was right',
    }),
  },
  { kind: 'job', path: 'translations.recheck', input: seenJob },
  {
    kind: 'document',
    path: 'documents.review',
    input: ({ id, segment: { region_id, cell_id } }) => ({
      document_id: id,
      corrections: [{ region_id, cell_id, target_text: 'Changed' }],
    }),
  },
  {
    kind: 'document',
    path: 'documents.correct',
    input: ({ id, segment: { region_id, cell_id, target_text: replaces } }) => ({
      document_id: id,
      corrections: [{ region_id, cell_id, target_text: 'Changed', replaces }],
    }),
  },
  {
    kind: 'document',
    path: 'documents.reviewXliff',
    input: (item) => ({ ...ofDocument(item), body: item.xliff }),
  },
  {
    kind: 'document',
    path: 'documents.save',
    input: ({ id, segment: { position, target_text: replaces } }) => ({
      document_id: id,
      segments: [{ position, replaces, target_text: 'Changed' }],
    }),
  },
  {
    kind: 'document',
    path: 'documents.confirm',
    input: ({ id, segment: { position, target_text } }) => ({
      document_id: id,
      segments: [{ position, target_text }],
      reviewer: 'Ann',
    }),
  },
  ...[false, true].map(
    (isBlind): Way => ({
      ...{
        kind: 'document',
        path: 'documents.confirmAll',
        isBlind,
        ...(isBlind && { as: 'without a version' }),
      },
      input: (item) => ({
        ...{ ...ofDocument(item), statuses: ['todo', 'draft', 'warning'], reviewer: 'Ann' },
        ...(!isBlind && { updated_at: item.updated_at }),
      }),
    }),
  ),
  {
    kind: 'document',
    path: 'documents.resolve',
    input: ({ id, finding_id, found }) => ({
      ...{ document_id: id, finding_id, ...found, resolution: 'not_an_error' },
      ...{ reason: 'It was right', reviewer: 'Ann' },
    }),
  },
  { kind: 'document', path: 'documents.recheck', input: (item) => ({ ...ofDocument(item), positions: [0] }) },
  {
    kind: 'document',
    path: 'documents.undo',
    input: ({ id, change_id }) => ({ document_id: id, change_id }),
    isOwn: true,
  },
  {
    kind: 'document',
    path: 'documents.redo',
    input: ({ id, change_id }) => ({ document_id: id, change_id }),
    isOwn: true,
  },
  { kind: 'document', path: 'documents.render', input: ofDocument },
  {
    kind: 'document',
    path: 'documents.approve',
    input: ({ id, updated_at }) => ({ document_id: id, updated_at, reviewer: 'Ann', confirm_critical: true }),
    publishes: true,
  },
  {
    kind: 'document',
    path: 'documents.approve',
    as: 'without a version',
    input: (item) => ({ ...ofDocument(item), reviewer: 'Ann', confirm_critical: true }),
    publishes: true,
    isBlind: true,
  },
  {
    kind: 'document',
    path: 'documents.approveMany',
    input: ({ id }) => ({
      ...{ document_ids: [id], confirm_unopened: [id], confirm_critical: [id], reviewer: 'Ann' },
    }),
    publishes: true,
    isBlind: true,
  },
];

/** The mutations with other rules: reopening, turns and deletions. A test calls all further ones: they write no item. */
export const others: readonly string[] = namesOf({
  reviews: 'reopen',
  assignments: 'assign pass',
  translations: 'delete',
  documents: 'delete',
});

export function procedureOf(path: string): DefinedProcedure {
  const found = procedures.find((one) => one.path === path);
  if (!found) throw new Error(`${path} is not a procedure`);
  return found;
}

/** The member whose turn it is; `anyone` if the item is not assigned, and `none` if it must be reopened first. */
function holderOf(rule: Rule, state: State): 'anyone' | 'first' | 'second' | 'none' {
  if (rule === 'none') return 'anyone';
  if (rule === 'assigned') return 'first';
  if (state === 'approved') return 'none';
  return state === 'open' ? 'first' : 'second';
}

/** The expected result: `ok`, or the status of the refusal. */
export function expected(rule: Rule, state: State, caller: Caller, way: Way): string {
  if (caller === 'operator') return 'refused';
  const holder = holderOf(rule, state);
  if (way.kind === 'job' && state === 'approved') return '400';
  // A second approval describes the first one, and a rendering of what is rendered changes nothing.
  if (way.kind === 'document' && state === 'approved') {
    if (way.path === 'documents.approve' || way.path === 'documents.approveMany') return 'ok';
    if (way.path === 'documents.render') return 'ok';
  }
  const takesOver = caller === 'administrator after taking over';
  // Nothing is taken over after the decision.
  const isHolder =
    holder === 'anyone' || (takesOver && state !== 'approved' && holder !== 'none') || caller === holder;
  if (!isHolder || (takesOver && state === 'approved' && holder !== 'anyone')) return '409';
  if (rule === 'four eyes' && (way.isBlind || (way.publishes && state === 'open'))) return '409';
  if (way.isOwn && caller !== 'first' && caller !== 'administrator' && !takesOver) return '403';
  return 'ok';
}
