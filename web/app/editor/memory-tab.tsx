import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, type RefObject } from 'react';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import type { CommandId } from '../keys/commands.ts';
import { useCommands } from '../keys/use-commands.ts';
import { Fill, Row, Stack } from '../kit/box.tsx';
import { Card } from '../kit/card.tsx';
import { Badge, Text } from '../kit/text.tsx';
import { useFormat } from '../parts/format.ts';
import { LanguageText } from '../parts/language-text.tsx';
import { problemText } from '../parts/problem.tsx';
import { maxTextLength } from '../parts/searched-text.ts';
import { TextDiff } from '../parts/text-diff.tsx';
import { queryKeys } from '../query-keys.ts';
import styles from './editor.module.css';
import type { Languages } from './marks.ts';
import type { OpenField } from './open-segment.tsx';
import type { EditedSegment } from './segment.ts';
import { useMatches } from './use-segment-data.ts';

/** A search of the TM. */
export interface Sought {
  text: string;
  /** The side of the TM segments that is searched. */
  side: 'source' | 'target';
}

export function otherSide({ text, side }: Sought): Sought {
  return { text, side: side === 'source' ? 'target' : 'source' };
}

const sides = [
  ['source', 'editor.source'],
  ['target', 'editor.translation'],
] as const;

interface Match {
  /** The sentence of the segment that is matched; undefined for the whole segment. */
  part?: string | undefined;
  source: string;
  target: string;
  /** The similarity in percent; undefined for the matches of a search. */
  score?: number;
  set: string;
  changedAt: string | null;
  /** Whether it is a correction in a document that is not approved yet. */
  isUnapproved?: boolean;
  /** Whether it differs from the segment in typography only. */
  isRespelled?: boolean | undefined;
  /** The places of the searched text on one side, in UTF-16 units. */
  hits?: { side: Sought['side']; spans: readonly { start: number; end: number }[] };
}

const insertCommands = [
  'insertMatch1',
  'insertMatch2',
  'insertMatch3',
  'insertMatch4',
  'insertMatch5',
] as const satisfies CommandId[];

/** TM matches of the open segment with the differences to its source, and a search in all TMs. */
export function MemoryTab({
  segment,
  languages,
  field,
  sought,
  onSearch,
}: {
  segment: EditedSegment;
  languages: Languages;
  field: RefObject<OpenField | null>;
  sought: Sought | undefined;
  onSearch: (sought: Sought) => void;
}) {
  const t = useT();
  const { data, error } = useMatches(segment, languages);
  const matches: Match[] = (data?.matches ?? []).map((match) => ({
    part: match.part,
    source: match.source_text,
    target: match.target_text,
    score: match.score,
    set: match.set_name,
    changedAt: match.changed_at,
    isUnapproved: match.origin === 'unapproved',
    isRespelled: match.typography,
  }));
  const insert = (index: number) => {
    const match = matches[index];
    // Just after a change of the segment, the field already belongs to the next one.
    if (!match || field.current?.position !== segment.position) return;
    if (match.part === undefined) field.current.replaceAll(match.target);
    else field.current.insert(match.target);
  };
  useCommands(Object.fromEntries(insertCommands.map((id, index) => [id, () => insert(index)])));
  return (
    <Stack>
      <ConcordanceSearch sought={sought ?? { text: '', side: 'source' }} onSearch={onSearch} />
      {sought && sought.text !== '' && (
        <Concordance
          sought={sought}
          languages={languages}
          field={field}
          onOther={() => onSearch(otherSide(sought))}
        />
      )}
      {error && <p className="hint">{problemText(error, t)}</p>}
      {data && matches.length === 0 && <p className="hint">{t('editor.no_matches')}</p>}
      {matches.map((match, index) => (
        <MatchCard
          key={`${match.part} ${match.set} ${match.source} ${match.target}`}
          match={match}
          command={insertCommands[index]}
          source={match.part ?? segment.source_text}
          languages={languages}
          onInsert={() => insert(index)}
        />
      ))}
    </Stack>
  );
}

function ConcordanceSearch({
  sought: { text, side },
  onSearch,
}: {
  sought: Sought;
  onSearch: (sought: Sought) => void;
}) {
  const t = useT();
  return (
    <Stack as="search" gap={2}>
      <form
        key={text}
        onSubmit={(event) => {
          event.preventDefault();
          onSearch({ text: String(new FormData(event.currentTarget).get('text') ?? '').trim(), side });
        }}
      >
        <input
          type="search"
          name="text"
          aria-label={t('editor.concordance')}
          placeholder={t('editor.concordance')}
          maxLength={maxTextLength}
          defaultValue={text}
          onInput={({ currentTarget: { value } }) =>
            value === '' && text !== '' && onSearch({ text: '', side })
          }
        />
      </form>
      <Row>
        <fieldset className="segmented">
          <legend className="visually-hidden">{t('editor.side')}</legend>
          {sides.map(([one, label]) => (
            <label key={one}>
              <input
                type="radio"
                name="concordance-side"
                checked={side === one}
                onChange={() => onSearch({ text, side: one })}
              />
              {t(label)}
            </label>
          ))}
        </fieldset>
      </Row>
    </Stack>
  );
}

function Concordance({
  sought: { text, side },
  languages,
  field,
  onOther,
}: {
  sought: Sought;
  languages: Languages;
  field: RefObject<OpenField | null>;
  /** Searches the other side. */
  onOther: () => void;
}) {
  const t = useT();
  const request = { text, side, source_lang: languages.source, target_lang: languages.target };
  const { data, error } = useQuery({
    queryKey: queryKeys.memory.concordance(request),
    queryFn: ({ signal }) => client.memory.concordancePage(request, { signal }),
  });
  if (error) return <p className="hint">{problemText(error, t)}</p>;
  const units = data?.items ?? [];
  if (data && units.length === 0)
    return (
      <p className="hint">
        {t('editor.nothing_found')}{' '}
        <button type="button" className="ghost small" onClick={onOther}>
          {t('editor.other_side')}
        </button>
      </p>
    );
  return units.map((unit) => (
    <MatchCard
      key={`${unit.set_id} ${unit.source_text} ${unit.target_text}`}
      match={{
        source: unit.source_text,
        target: unit.target_text,
        set: unit.set_name,
        changedAt: unit.changed_at,
        hits: { side, spans: unit.spans },
      }}
      languages={languages}
      onInsert={() => field.current?.insert(unit.target_text)}
    />
  ));
}

function MatchCard({
  match,
  command,
  source,
  languages,
  onInsert,
}: {
  match: Match;
  /** Inserts the match. */
  command?: CommandId | undefined;
  /** The source of the open segment, to show the differences. */
  source?: string;
  languages: Languages;
  onInsert: () => void;
}) {
  const t = useT();
  const { day } = useFormat();
  return (
    <Card as="article" pad={3} gap={1}>
      <Row as="header">
        {match.score !== undefined && <Badge>{t('editor.percent', { score: match.score })}</Badge>}
        {match.part !== undefined && <Badge>{t('editor.sentence')}</Badge>}
        {match.isUnapproved && <Badge>{t('editor.unapproved')}</Badge>}
        {match.isRespelled && <Badge>{t('editor.typography_only')}</Badge>}
        <Fill>
          <Text size="xs" tone="faint">
            <bdi>{match.set}</bdi> {match.changedAt && day(match.changedAt)}
          </Text>
        </Fill>
        <button type="button" className={`ghost small ${styles['insert']}`} onClick={onInsert}>
          {t('editor.insert')} {command && <CommandKey id={command} />}
        </button>
      </Row>
      <Text as="div" tone="soft">
        {source !== undefined && match.score !== 100 ? (
          <TextDiff before={match.source} after={source} language={languages.source} />
        ) : (
          <LanguageText as="div" language={languages.source}>
            {marked(match, 'source')}
          </LanguageText>
        )}
      </Text>
      <Text as="div" weight="medium">
        <LanguageText as="div" language={languages.target}>
          {marked(match, 'target')}
        </LanguageText>
      </Text>
    </Card>
  );
}

/** One side of a match, with the searched text marked. */
function marked(match: Match, side: Sought['side']): ReactNode {
  const text = match[side];
  if (match.hits?.side !== side) return text;
  let at = 0;
  const pieces = match.hits.spans.map(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return (
      <Fragment key={start}>
        {before}
        <mark>{text.slice(start, end)}</mark>
      </Fragment>
    );
  });
  return [...pieces, text.slice(at)];
}
