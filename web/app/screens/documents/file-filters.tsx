import { useEffect, useRef, useState } from 'react';
import type { FilePage } from '#sdk/file-types.ts';
import { type LayoutKind, layoutKindNames } from '#server/formats/layout-kinds.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { Fill, Row } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { maxTextLength } from '../../parts/searched-text.ts';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import { type FileState, fileStates } from './files.ts';
import { Running } from './running.tsx';
import type { DocumentFilter } from './search.ts';

/** Milliseconds after the last key before a text is searched. */
const pause = 300;

interface Props {
  filter: DocumentFilter;
  onChange: (filter: DocumentFilter) => void;
}

type Change = { [Name in keyof DocumentFilter]: DocumentFilter[Name] | '' | undefined };

function changed(filter: DocumentFilter, change: Change): DocumentFilter {
  return Object.fromEntries(Object.entries({ ...filter, ...change }).filter(([, value]) => value));
}

/** Searches files by name while the member types. */
export function FileSearch({ filter, onChange }: Props) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(filter.text ?? '');
  const sought = text.trim();
  const latest = useRef({ filter, onChange });
  latest.current = { filter, onChange };
  // The browser's Back and Forward change the URL without this field.
  useEffect(() => {
    if (document.activeElement !== field.current) setText(filter.text ?? '');
  }, [filter.text]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const { filter, onChange } = latest.current;
      if (sought !== (filter.text ?? '')) onChange(changed(filter, { text: sought }));
    }, pause);
    return () => clearTimeout(timer);
  }, [sought]);
  useCommands({ find: () => field.current?.focus() });
  return (
    <Row as="search" isTight>
      <input
        ref={field}
        type="search"
        dir="auto"
        aria-label={t('documents.find_file')}
        placeholder={t('documents.find_file')}
        maxLength={maxTextLength}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <kbd aria-hidden>/</kbd>
    </Row>
  );
}

const marks: Readonly<Record<FileState, Status | 'running'>> = {
  translating: 'running',
  needs_review: 'critical',
  approved: 'confirmed',
  failed: 'rejected',
};

/** The filters of the list: by state with the number of files, by format, and by language. */
export function FileFilters({
  filter,
  counts,
  onChange,
}: Props & { counts: NonNullable<FilePage['counts']> | undefined }) {
  const t = useT();
  const { languages } = useLanguages();
  const set = (change: Change) => onChange(changed(filter, change));
  // Few workspaces have failed files, so this filter appears only when it has some.
  const shown = fileStates.filter(
    (state) => state !== 'failed' || filter.state === 'failed' || (counts?.failed ?? 0) > 0,
  );
  const all = counts && counts.translating + counts.needs_review + counts.approved + counts.failed;
  return (
    <search className="filter-bar" aria-label={t('documents.filters')}>
      <StateChip
        name="documents.state_all"
        count={all}
        isChosen={!filter.state}
        onChoose={() => set({ state: undefined })}
      />
      {shown.map((state) => (
        <StateChip
          key={state}
          name={`documents.state_${state}`}
          mark={marks[state]}
          count={counts?.[state]}
          isChosen={filter.state === state}
          onChoose={() => set({ state: filter.state === state ? undefined : state })}
        />
      ))}
      <select
        className="chip"
        aria-label={t('documents.format')}
        data-chosen={filter.format && ''}
        value={filter.format ?? ''}
        onChange={({ target }) => set({ format: target.value as LayoutKind | '' })}
      >
        <option value="">{t('documents.format')}</option>
        {layoutKindNames.map((format) => (
          <option key={format} value={format} translate="no">
            {format.toUpperCase()}
          </option>
        ))}
      </select>
      <select
        className="chip"
        aria-label={t('documents.language')}
        data-chosen={filter.to && ''}
        value={filter.to ?? ''}
        onChange={({ target }) => set({ to: target.value })}
      >
        <option value="">{t('documents.language')}</option>
        {languages.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
      <Fill />
      <Text size="sm" tone="soft">
        {t('documents.order')}
      </Text>
    </search>
  );
}

function StateChip({
  name,
  mark,
  count,
  isChosen,
  onChoose,
}: {
  name: MessageId;
  mark?: Status | 'running';
  count: number | undefined;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const t = useT();
  const { number } = useFormat();
  return (
    <button type="button" className="chip" aria-pressed={isChosen} onClick={onChoose}>
      {mark && (mark === 'running' ? <Running size={13} /> : <StatusMark status={mark} size={13} />)}
      {t(name)} {count !== undefined && <b>{number(count)}</b>}
    </button>
  );
}
