import { useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState, useSyncExternalStore } from 'react';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { Dialog } from '../parts/confirm-dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { queryKeys } from '../query-keys.ts';
import type { Languages } from './marks.ts';
import styles from './replace.module.css';
import { ReplaceFields, type Wanted } from './replace-fields.tsx';
import { ReplacementList } from './replacement-list.tsx';
import { type ReplacementResult, replacementsOf, storeReplacements } from './replacements.ts';
import { storeSegments } from './segment-cache.ts';
import type { SegmentFilter } from './segment-filter.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { useFoundSegments } from './use-found-segments.ts';

export interface ReplaceDialogProps {
  documentId: string;
  languages: Languages;
  /** The present filter of the editor, to which a search can be limited. */
  filter: SegmentFilter;
  saves: SegmentSaves;
  /** Colleagues by the position of the segment that each has open. */
  holders: ReadonlyMap<number, readonly string[]>;
  /** The text in the search field when the dialog opens. */
  sought: string;
  /** Called for each stored change, which can be undone. */
  onChanged: (changeId: string | null) => void;
  onClose: () => void;
}

/** Lists each change before it is made. The changes are stored as drafts, and can be undone. */
export default function ReplaceDialog(props: ReplaceDialogProps) {
  const { documentId, languages, filter, saves, holders, onChanged, onClose } = props;
  const t = useT();
  const queries = useQueryClient();
  const isFiltered = Object.keys(filter).length > 0;
  const [wanted, setWanted] = useState<Wanted>({
    sought: props.sought,
    replacement: '',
    matchesCase: false,
    wholeWords: false,
    inFilter: isFiltered,
    withConfirmed: false,
  });
  const { sought, replacement, inFilter, withConfirmed, ...search } = wanted;
  const { found, repeat } = useFoundSegments(
    documentId,
    { text: sought, ...search },
    inFilter ? filter : {},
    languages,
    saves,
  );
  const unsent = useSyncExternalStore(saves.subscribe, saves.all);
  const shown = useDeferredValue(replacement);
  const replacements = useMemo(
    () => replacementsOf(found.segments, shown, { withConfirmed, unsent, held: holders }),
    [found.segments, shown, withConfirmed, unsent, holders],
  );
  const [excluded, setExcluded] = useState<ReadonlySet<number>>(new Set());
  const included = replacements.filter(
    ({ segment, obstacle }) => obstacle === undefined && !excluded.has(segment.position),
  );
  const [result, setResult] = useState<ReplacementResult>();
  const [isBusy, setBusy] = useState(false);
  const isReady = found.isComplete && !isBusy && shown === replacement && included.length > 0;

  const replaceAll = async () => {
    setBusy(true);
    const stored = await storeReplacements(
      included,
      (request) => client.documents.save({ document_id: documentId, ...request }),
      ({ change_id, segments }) => {
        storeSegments(queries, documentId, segments);
        onChanged(change_id);
      },
    );
    // The list shows what someone else has changed.
    if (stored.conflicts.length > 0)
      await queries.invalidateQueries({ queryKey: queryKeys.documents.allSegments(documentId) });
    setBusy(false);
    setResult(stored);
    announce(t('editor.replaced', { count: stored.changed }));
    repeat();
  };
  return (
    <Dialog title={t('editor.replace')} className={styles['dialog']} onClose={onClose} isBusy={isBusy}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void replaceAll();
        }}
      >
        <ReplaceFields
          wanted={wanted}
          isFiltered={isFiltered}
          onChange={(next) => {
            setWanted(next);
            setResult(undefined);
          }}
        />
        {found.error ? <Problem error={found.error} retry={repeat} /> : null}
        {result && <ReplaceResult of={result} />}
        <ReplacementList
          replacements={replacements}
          excluded={excluded}
          onExclude={setExcluded}
          holders={holders}
          language={languages.target}
          isComplete={found.isComplete}
          isSought={sought !== '' && !result}
        />
        <div className="actions">
          <button type="button" disabled={isBusy} onClick={onClose}>
            {t('common.close')}
          </button>
          <button type="submit" className="primary" disabled={!isReady}>
            {t('editor.replace_in', { count: included.length })}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Which replacements were stored, and which were not. */
function ReplaceResult({ of: { changed, steps, conflicts, error } }: { of: ReplacementResult }) {
  const t = useT();
  return (
    <>
      {changed > 0 && (
        <p className="notice" role="status">
          <b>{t('editor.replaced', { count: changed })}</b>{' '}
          {steps > 0 && t('editor.replaced_undo', { count: steps })}
        </p>
      )}
      {conflicts.length > 0 && (
        <p className="notice">{t('editor.replace_conflicts', { count: conflicts.length })}</p>
      )}
      {error ? <Problem error={error} /> : null}
    </>
  );
}
