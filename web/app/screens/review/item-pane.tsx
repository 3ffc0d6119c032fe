import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import type { TranslationJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { dropDraft } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Problem, problemText } from '../../parts/problem.tsx';
import { queryKeys } from '../../query-keys.ts';
import { NewTerm } from '../../terms/new-term.tsx';
import { Conflict } from './conflict.tsx';
import type { Saved, Sent } from './decision.ts';
import { SourceAndTarget } from './field.tsx';
import { FoundDrafts } from './found-drafts.tsx';
import {
  type Item,
  isNewer,
  isReviewable,
  itemOfJob,
  itemOfSummary,
  lastReview,
  type Summary,
} from './items.ts';
import { useOutbox } from './outbox-provider.tsx';
import styles from './review.module.css';
import { Side, useMatches } from './side.tsx';
import { useEditing } from './use-editing.ts';
import { useTextCheck } from './use-text-check.ts';

/** The open item, as the commands of the screen use it. */
export interface OpenItem {
  /** The item as the reviewer saw it. A review sends this item and the text of the field. */
  item: Item;
  text: string;
  /** Whether the item can be reviewed now. False while a conflict is unresolved. */
  isReady: boolean;
  /** If a draft is being saved, a promise of the item's state after that; otherwise undefined. */
  saving: () => Promise<Saved> | undefined;
  save: () => Promise<void>;
  walkMatches: (step: 1 | -1) => void;
  putBack: () => void;
  toggleDiff: () => void;
  focus: () => void;
  /** Moves the focus to a draft that is neither restored nor discarded. @returns whether there is such a draft */
  showUndecided: () => boolean;
}

interface Props {
  /** The job's entry in the list; undefined if the list does not contain the job. */
  summary: Summary | undefined;
  back: Sent | undefined;
  others: readonly string[];
  wantsFocus: RefObject<boolean>;
  onNext: () => void;
  ref: RefObject<OpenItem | null>;
  /** The actions on the item. */
  children: ReactNode;
}

/** Milliseconds between two checks whether someone else has changed the open job. */
const lookAgain = 20_000;

/** The open job. If the list contains its complete texts, these are shown immediately, and the rest is loaded. */
export function ItemPane({ id, ...props }: Props & { id: string }) {
  const { data, error, refetch } = useQuery(jobQuery(id));
  const listed = props.summary && itemOfSummary(props.summary);
  const read = data && itemOfJob(data);
  const isBehind = listed !== undefined && read !== undefined && isNewer(listed, read);
  const item = read && !isBehind ? read : listed;
  useEffect(() => {
    // The list has a later version of the job, so someone has changed it. The job itself has their text and name.
    if (isBehind) void refetch();
  }, [isBehind, refetch]);
  if (!item)
    return (
      <div className={styles.item}>
        {error ? <Problem error={error} retry={() => void refetch()} /> : <Loading lines={12} />}
      </div>
    );
  return <Editor key={id} item={item} job={data} {...props} />;
}

/** The query of a job. While the job is open, it is refreshed. */
export function jobQuery(id: string) {
  return {
    queryKey: queryKeys.jobs.job(id),
    queryFn: ({ signal }: { signal: AbortSignal }) => client.translations.get(id, { signal }),
    refetchInterval: lookAgain,
  };
}

function Editor({
  item,
  job,
  summary,
  back,
  others,
  wantsFocus,
  onNext,
  ref,
  children,
}: Props & {
  item: Item;
  job: TranslationJob | undefined;
}) {
  const t = useT();
  const outbox = useOutbox();
  const editing = useEditing(item, back);
  const { base, text, isEdited } = editing;
  const check = useTextCheck(base, text);
  const matches = useMatches(base);
  const pane = useRef<HTMLElement>(null);
  const diff = useRef<HTMLDetailsElement>(null);
  /** The index of the TM match in the field, and the text that the field had before the first match. */
  const walk = useRef<{ at: number; before: string }>(undefined);

  const isOpen = job === undefined || isReviewable(job);
  // The item to which the reviewer's text refers: for a review that was not saved, the item of that review.
  const began = back?.item ?? base;
  const isChanged = job !== undefined && isNewer(itemOfJob(job), began) && (isEdited || back !== undefined);

  const insert = (value: string, as: 'match' | 'at_caret') => {
    editing.insert(value, as);
    announce(t('review.inserted'));
  };
  useImperativeHandle(ref, () => ({
    item: base,
    text,
    isReady: isOpen && !isChanged,
    saving: editing.saving,
    async save() {
      try {
        await editing.save();
        announce(t('review.saved'));
      } catch (error) {
        announce(t('review.unsaved', { problem: problemText(error, t) }));
      }
    },
    walkMatches(step) {
      const targets = matches.data?.matches.map(({ target_text }) => target_text) ?? [];
      if (targets.length === 0) return announce(t('review.no_matches'));
      const shown =
        walk.current && targets[walk.current.at] === text ? walk.current : { at: -1, before: text };
      const at = Math.min(Math.max(shown.at + step, -1), targets.length - 1);
      walk.current = { ...shown, at };
      editing.insert(targets[at] ?? shown.before, 'match');
      announce(t('review.match_of', { place: at + 1, count: targets.length }));
    },
    putBack() {
      const [span] = check.lost;
      if (span === undefined) return announce(t('review.nothing_lost'));
      insert(span, 'at_caret');
    },
    toggleDiff() {
      const part = diff.current;
      if (!part) return;
      part.open = !part.open;
      part.scrollIntoView({ block: 'nearest' });
    },
    focus: () => editing.field.current?.focus(),
    showUndecided() {
      pane.current?.querySelector<HTMLElement>('[data-found] button')?.focus();
      return editing.found.length > 0;
    },
  }));

  const giveUp = () => {
    outbox.takeBack(base.id);
    void dropDraft({ kind: 'job', id: base.id });
    onNext();
  };
  return (
    <>
      <section ref={pane} className={styles.item} aria-labelledby="item">
        <h2 id="item" className="visually-hidden">
          {t('review.translation')}
        </h2>
        {others.length > 0 && (
          <p className={styles.others} role="status">
            {t('review.others', { who: others.join(', ') })}
          </p>
        )}
        {back?.state === 'refused' && <Problem error={back.error} />}
        {isChanged && job && (
          <Conflict
            base={began}
            mine={text}
            present={job}
            onChoose={(chosen) => {
              outbox.takeBack(base.id);
              editing.restart(itemOfJob(job), chosen, 'field');
            }}
            onGiveUp={giveUp}
          />
        )}
        {!isOpen && !isChanged && job && (
          <p className={styles.others} role="status">
            {t('review.closed_by', { who: lastReview(job)?.actor ?? '' })}
          </p>
        )}
        <FoundDrafts editing={editing} isOpen={isOpen} />
        <SourceAndTarget editing={editing} isOpen={isOpen} wantsFocus={wantsFocus} />
        <NewTerm sourceLang={base.sourceLang} targetLang={base.targetLang} />
        {children}
      </section>
      <section className={styles.information} aria-labelledby="information">
        <h2 id="information" className="visually-hidden">
          {t('review.information')}
        </h2>
        <Side
          job={job}
          item={base}
          triggers={summary?.triggers ?? []}
          text={text}
          check={check}
          matches={matches}
          onInsert={insert}
          diff={diff}
        />
      </section>
    </>
  );
}
