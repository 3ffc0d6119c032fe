import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { TranslationJob } from '#sdk/types.ts';
import { actOnJob } from '../../client.ts';
import {
  type Draft,
  draftOf,
  dropDraft,
  keepDraft,
  readDraft,
  sourceExcerpt,
  textsOf,
} from '../../drafts/drafts.ts';
import { queryClient } from '../../query-client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Saved, Sent } from './decision.ts';
import { readJob } from './deliver-review.ts';
import { type Item, isNewer, isReviewable } from './items.ts';
import { useOutbox } from './outbox-provider.tsx';

/**
 * The state of the text: `unchanged`; `kept`: stored on this device; `saving` and `saved`: on the server; `unsaved`:
 * the server could not save it.
 */
export type SaveState =
  | { kind: 'unchanged' }
  | { kind: 'kept' }
  | { kind: 'saving' }
  | { kind: 'saved'; at: Date }
  | { kind: 'unsaved'; error: unknown };

/** The text field of the open item: an uncontrolled textarea, so that the browser's undo works. */
export interface Editing {
  /** The item on which the text in the field is based. */
  base: Item;
  text: string;
  /**
   * Whether the reviewer has changed the text. An inserted TM match counts only after the reviewer has typed something.
   */
  isEdited: boolean;
  state: SaveState;
  /** Drafts found on this device, the latest first. */
  found: readonly Draft[];
  /** Each new generation mounts a new textarea with the text `initial`. */
  generation: number;
  initial: string;
  /** Whether the new textarea gets the focus; undefined for the first textarea. */
  hasFocus: boolean | undefined;
  field: React.RefObject<HTMLTextAreaElement | null>;
  onInput(): void;
  /** Inserts a text instead of the whole text, or at the caret. The browser's undo can revert this. */
  insert(text: string, as: 'match' | 'all' | 'at_caret'): void;
  /** Saves the text as a draft on the server. The item stays open. */
  save(): Promise<void>;
  /** If a save is running, a promise of the item's state after it; otherwise undefined. */
  saving(): Promise<Saved> | undefined;
  /**
   * Starts again with another version of the item. The field keeps the focus if it has it; with `to`, it gets the focus
   * in any case.
   */
  restart(base: Item, text: string, to?: 'field'): void;
  /** Discards a found draft. */
  discard(draft: Draft): void;
}

/**
 * @param item the current state of the item on the server
 * @param back a review of this item that was not saved
 */
export function useEditing(item: Item, back: Sent | undefined): Editing {
  const outbox = useOutbox();
  // A review that was not saved keeps the version that the reviewer saw, because a later version could contain changes
  // that the reviewer has not seen.
  const [base, setBase] = useState<Item>({ ...item, ...back?.item });
  const [text, setText] = useState(back?.text ?? base.target);
  const [start, setStart] = useState({
    generation: 0,
    initial: text,
    hasFocus: undefined as boolean | undefined,
  });
  const [state, setState] = useState<SaveState>({ kind: 'unchanged' });
  const [found, setFound] = useState<readonly Draft[]>([]);
  /**
   * The same as `found`, without a wait for the next render: each stored text includes the drafts that are not decided
   * yet.
   */
  const undecided = useRef<readonly Draft[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const inserted = useRef<string>(undefined);
  const saving = useRef<Promise<Saved>>(undefined);
  /** The version of `base`, without a wait for the next render: a second save may begin before it. */
  const version = useRef(base.version);
  const isEdited = text !== base.target && text !== inserted.current;
  const draftItem = { kind: 'job', id: item.id } as const;

  const offer = (texts: readonly Draft[]) => {
    undecided.current = texts;
    setFound(texts);
  };
  const onFound = useEffectEvent((draft: Draft) => {
    const texts = textsOf(draft).filter((one) => one.text !== item.target);
    if (texts.length === 0) return void dropDraft(draftItem, draft.changedAt);
    offer(texts);
    // Text that was typed before the draft was loaded is stored, and the draft stays with it as a former draft.
    const typed = field.current?.value ?? base.target;
    if (typed !== base.target) keep(typed);
  });
  const [isRestored] = useState(back?.text !== undefined);
  useEffect(() => {
    // The field already contains the text of the rejected review.
    if (isRestored) return;
    let isShown = true;
    readDraft({ kind: 'job', id: item.id }).then(
      (draft) => {
        if (isShown && draft) onFound(draft);
      },
      // The member has signed out, or the browser has no storage; the screen reports missing storage when something is
      // typed.
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [item.id, isRestored]);

  const rebase = useCallback((next: Item) => {
    version.current = next.version;
    setBase(next);
  }, []);
  const restart = useCallback(
    (next: Item, nextText: string, to?: 'field') => {
      rebase(next);
      setText(nextText);
      const hasFocus = to === 'field' || document.activeElement === field.current;
      setStart(({ generation }) => ({ generation: generation + 1, initial: nextText, hasFocus }));
    },
    [rebase],
  );

  useEffect(() => {
    // A text that was edited, or whose review was not saved, is never replaced. The screen shows that the item has
    // changed, and the reviewer decides.
    if (!isNewer(item, base) || saving.current || isEdited || back) return;
    if (item.target === base.target) rebase(item);
    else restart(item, item.target);
  }, [item, base, isEdited, back, rebase, restart]);

  const keep = (value: string) => {
    if (value === base.target) {
      // The text is unchanged, but drafts that are not decided yet must stay stored.
      const left = draftOf(undecided.current);
      if (left) keepDraft(draftItem, left);
      else void dropDraft(draftItem);
      setState({ kind: 'unchanged' });
      return;
    }
    // While the field only contains an inserted match, the stored draft still has the text that was typed before.
    if (value === inserted.current) return;
    const draft = {
      text: value,
      base: base.target,
      version: base.version,
      language: base.targetLang,
      source: base.source.slice(0, sourceExcerpt),
      changedAt: Date.now(),
    };
    keepDraft(draftItem, { ...draft, former: draftOf(undecided.current) });
    setState({ kind: 'kept' });
  };

  const saveText = async (value: string): Promise<Saved> => {
    const job = await saveDraft(item.id, version.current, value);
    const saved = { version: job.updated_at, target: value };
    version.current = saved.version;
    setBase((before) => ({ ...before, ...saved }));
    // The server now has this text, so the review that was not saved is obsolete.
    outbox.takeBack(item.id);
    return saved;
  };

  return {
    base,
    text,
    isEdited,
    state,
    found,
    field,
    ...start,
    onInput() {
      const value = field.current?.value ?? '';
      setText(value);
      keep(value);
    },
    insert(value, as) {
      const element = field.current;
      if (!element) return;
      if (as === 'match') inserted.current = value;
      element.focus();
      if (as !== 'at_caret') element.select();
      // `execCommand` can be undone in the field, but an assignment to `value` cannot.
      if (value === '') document.execCommand('delete');
      else document.execCommand('insertText', false, value);
    },
    async save() {
      const value = field.current?.value ?? text;
      if (value.trim() === '') return;
      const pressedAt = Date.now();
      setState({ kind: 'saving' });
      // Saves run one after the other, because each must name the version that the previous one created.
      const before = saving.current?.catch(() => undefined);
      const sending = before ? before.then(() => saveText(value)) : saveText(value);
      saving.current = sending;
      try {
        await sending;
        if (saving.current === sending && field.current?.value === value)
          setState({ kind: 'saved', at: new Date() });
        if (undecided.current.length === 0) await dropDraft(draftItem, pressedAt);
      } catch (error) {
        setState({ kind: 'unsaved', error });
        throw error;
      } finally {
        if (saving.current === sending) saving.current = undefined;
      }
    },
    saving: () => saving.current,
    restart,
    discard(draft) {
      offer(undecided.current.filter((one) => one !== draft));
      const value = field.current?.value ?? text;
      keep(value === inserted.current ? base.target : value);
    },
  };
}

/** Saves a draft on the server. The request names the version that the reviewer saw. */
async function saveDraft(id: string, version: string, text: string): Promise<TranslationJob> {
  const review = { job_id: id, action: 'save' as const, updated_at: version, final_translation: text };
  try {
    const job = await actOnJob(review);
    queryClient.setQueryData(queryKeys.jobs.job(id), job);
    return job;
  } catch (error) {
    if (!(error instanceof LinguaLoopError) || error.status !== 409) throw error;
    // A conflict may mean that the first attempt was applied, but its response was lost.
    const present = await readJob(id);
    if (present.final_translation !== text || !isReviewable(present)) throw error;
    return present;
  }
}
