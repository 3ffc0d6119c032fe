import { useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { Grid, Row, Stack } from '../kit/box.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { announce } from '../parts/announcer.tsx';
import { Problem } from '../parts/problem.tsx';
import { maxTextLength } from '../parts/searched-text.ts';
import { queryKeys } from '../query-keys.ts';
import type { TextQuery } from './find-text.ts';
import type { Languages } from './marks.ts';
import { ReplacementList } from './replacement-list.tsx';
import {
  type FoundSegment,
  findInTranslations,
  type ReplacementResult,
  replacementsOf,
  storeReplacements,
} from './replacements.ts';
import { storeSegments } from './segment-cache.ts';
import type { SegmentFilter } from './segment-filter.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { searched } from './use-segments.ts';

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
    <Dialog title={t('editor.replace')} isWide onClose={onClose} isBusy={isBusy}>
      <Stack
        as="form"
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
      </Stack>
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

/** The text to replace, its replacement, and the segments in which it is replaced. */
interface Wanted {
  sought: string;
  replacement: string;
  matchesCase: boolean;
  wholeWords: boolean;
  /** Whether only segments that match the present filter are searched. */
  inFilter: boolean;
  /** Whether confirmed segments are changed, too. */
  withConfirmed: boolean;
}

/** Maximum UTF-16 units of the text that replaces another one. */
const maxReplacement = 1000;

const texts = [
  ['sought', 'editor.find_in_translations', maxTextLength],
  ['replacement', 'editor.replace_with', maxReplacement],
] as const;

const options = [
  ['matchesCase', 'editor.match_case'],
  ['wholeWords', 'editor.whole_words'],
  ['inFilter', 'editor.replace_in_filter'],
  ['withConfirmed', 'editor.replace_confirmed'],
] as const;

/** The fields of a replacement. @param isFiltered whether the editor shows only a part of the segments */
function ReplaceFields({
  wanted,
  isFiltered,
  onChange,
}: {
  wanted: Wanted;
  isFiltered: boolean;
  onChange: (wanted: Wanted) => void;
}) {
  const t = useT();
  return (
    <>
      <Grid least={14}>
        {texts.map(([name, label, maxLength]) => (
          <label key={name}>
            {t(label)}
            <input
              name={name}
              maxLength={maxLength}
              autoComplete="off"
              value={wanted[name]}
              onChange={({ target }) => onChange({ ...wanted, [name]: target.value })}
            />
          </label>
        ))}
      </Grid>
      <Row gap={4}>
        {options
          .filter(([name]) => name !== 'inFilter' || isFiltered)
          .map(([name, label]) => (
            <label key={name} className="check">
              <input
                type="checkbox"
                checked={wanted[name]}
                onChange={({ target }) => onChange({ ...wanted, [name]: target.checked })}
              />
              {t(label)}
            </label>
          ))}
      </Row>
    </>
  );
}

/** Milliseconds without a keystroke before the search starts. */
const pause = 250;

interface Found {
  segments: readonly FoundSegment[];
  isComplete: boolean;
  error?: unknown;
}

const nothing: Found = { segments: [], isComplete: true };

/**
 * Searches the translations of a document while the reviewer types, page by page. Edits are sent before, so that the
 * search finds them.
 * @returns what is found so far, and a function that searches again
 */
function useFoundSegments(
  documentId: string,
  { text, matchesCase = false, wholeWords = false }: Omit<TextQuery, 'language'>,
  filter: SegmentFilter,
  languages: Languages,
  saves: SegmentSaves,
): { found: Found; repeat: () => void } {
  const [found, setFound] = useState(nothing);
  const [attempt, setAttempt] = useState(0);
  // The address of the screen creates another filter object at each change of the screen.
  const wanted = JSON.stringify({ text, matchesCase, wholeWords, filter, attempt });
  useEffect(() => {
    const { text, matchesCase, wholeWords, filter } = JSON.parse(wanted);
    setFound(text === '' ? nothing : { segments: [], isComplete: false });
    if (text === '') return;
    const stop = new AbortController();
    const { signal } = stop;
    const run = async () => {
      await saves.flush();
      const query = { text, matchesCase, wholeWords, language: languages.target };
      const segments: FoundSegment[] = [];
      const search = (page: object) =>
        client.documents.search({ document_id: documentId, ...page }, { signal });
      for await (const page of findInTranslations(search, query, searched(filter), languages)) {
        if (signal.aborted) return;
        segments.push(...page);
        setFound({ segments: [...segments], isComplete: false });
      }
      setFound({ segments, isComplete: true });
    };
    const timer = setTimeout(() => {
      run().catch((error: unknown) => {
        if (!signal.aborted) setFound(({ segments }) => ({ segments, isComplete: true, error }));
      });
    }, pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [documentId, wanted, languages, saves]);
  return { found, repeat: () => setAttempt((before) => before + 1) };
}
