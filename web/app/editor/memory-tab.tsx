import { useQuery } from '@tanstack/react-query';
import { type RefObject, useState } from 'react';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { keyLabel } from '../keys/commands.ts';
import { useCommands } from '../keys/use-commands.ts';
import { useFormat } from '../parts/format.ts';
import { LanguageText } from '../parts/language-text.tsx';
import { problemText } from '../parts/problem.tsx';
import { TextDiff } from '../parts/text-diff.tsx';
import { queryKeys } from '../query-keys.ts';
import styles from './editor.module.css';
import type { Languages } from './marks.ts';
import type { OpenField } from './open-segment.tsx';
import type { EditedSegment } from './segment.ts';
import { useMatches } from './use-segment-data.ts';

interface Match {
  /** The sentence of the segment that is matched; undefined for the whole segment. */
  part?: string | undefined;
  source: string;
  target: string;
  /** The similarity in percent; undefined for the matches of a search. */
  score?: number;
  set: string;
  changedAt: string | null;
}

/** TM matches of the open segment with the differences to its source, and a search in all TMs. */
export function MemoryTab({
  segment,
  languages,
  field,
}: {
  segment: EditedSegment;
  languages: Languages;
  field: RefObject<OpenField | null>;
}) {
  const t = useT();
  const [sought, setSought] = useState('');
  const { data, error } = useMatches(segment, languages);
  const matches: Match[] = (data?.matches ?? []).map((match) => ({
    part: match.part,
    source: match.source_text,
    target: match.target_text,
    score: match.score,
    set: match.set_name,
    changedAt: match.changed_at,
  }));
  const insert = (index: number) => {
    const match = matches[index];
    // Just after a change of the segment, the field already belongs to the next one.
    if (!match || field.current?.position !== segment.position) return;
    if (match.part === undefined) field.current.replaceAll(match.target);
    else field.current.insert(match.target);
  };
  useCommands({
    insertMatch1: () => insert(0),
    insertMatch2: () => insert(1),
    insertMatch3: () => insert(2),
    insertMatch4: () => insert(3),
    insertMatch5: () => insert(4),
  });
  return (
    <>
      {error && <p className="hint">{problemText(error, t)}</p>}
      {data && matches.length === 0 && <p className="hint">{t('editor.no_matches')}</p>}
      {matches.map((match, index) => (
        <MatchCard
          key={`${match.part} ${match.set} ${match.source} ${match.target}`}
          match={match}
          keys={index < 5 ? `Alt+${index + 1}` : undefined}
          source={match.part ?? segment.source_text}
          languages={languages}
          onInsert={() => insert(index)}
        />
      ))}
      <form
        role="search"
        className={styles['concordance']}
        onSubmit={(event) => {
          event.preventDefault();
          setSought(String(new FormData(event.currentTarget).get('text') ?? '').trim());
        }}
      >
        <input
          type="search"
          name="text"
          aria-label={t('editor.concordance')}
          placeholder={t('editor.concordance')}
        />
      </form>
      {sought !== '' && <Concordance sought={sought} languages={languages} field={field} />}
    </>
  );
}

function Concordance({
  sought,
  languages,
  field,
}: {
  sought: string;
  languages: Languages;
  field: RefObject<OpenField | null>;
}) {
  const t = useT();
  const request = { text: sought, source_lang: languages.source, target_lang: languages.target };
  const { data, error } = useQuery({
    queryKey: queryKeys.memory.concordance(request),
    queryFn: ({ signal }) => client.memory.concordancePage(request, { signal }),
  });
  if (error) return <p className="hint">{problemText(error, t)}</p>;
  const units = data?.items ?? [];
  if (data && units.length === 0) return <p className="hint">{t('editor.nothing_found')}</p>;
  return units.map((unit) => (
    <MatchCard
      key={`${unit.set_id} ${unit.source_text} ${unit.target_text}`}
      match={{
        source: unit.source_text,
        target: unit.target_text,
        set: unit.set_name,
        changedAt: unit.changed_at,
      }}
      languages={languages}
      onInsert={() => field.current?.insert(unit.target_text)}
    />
  ));
}

function MatchCard({
  match,
  keys,
  source,
  languages,
  onInsert,
}: {
  match: Match;
  keys?: string | undefined;
  /** The source of the open segment, to show the differences. */
  source?: string;
  languages: Languages;
  onInsert: () => void;
}) {
  const t = useT();
  const { day } = useFormat();
  return (
    <article className={styles['match']}>
      <header>
        {match.score !== undefined && (
          <b className={styles['score']}>{t('editor.percent', { score: match.score })}</b>
        )}
        {match.part !== undefined && <span className="badge">{t('editor.sentence')}</span>}
        <bdi>{match.set}</bdi>
        {match.changedAt && <span>{day(match.changedAt)}</span>}
        <button type="button" className="ghost small" onClick={onInsert}>
          {t('editor.insert')} {keys && <kbd>{keyLabel(keys)}</kbd>}
        </button>
      </header>
      {source !== undefined && match.score !== 100 ? (
        <TextDiff before={match.source} after={source} language={languages.source} />
      ) : (
        <LanguageText language={languages.source} className={styles['matchSource']}>
          {match.source}
        </LanguageText>
      )}
      <LanguageText language={languages.target} className={styles['matchTarget']}>
        {match.target}
      </LanguageText>
    </article>
  );
}
