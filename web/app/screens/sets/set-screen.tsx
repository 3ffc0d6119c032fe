import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronLeft, Trash2 } from 'lucide-react';
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { useFormat } from '../../parts/format.ts';
import { plainName } from '../../parts/language-text.tsx';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { maxTextLength } from '../../parts/searched-text.ts';
import { type ContentFilter, type SearchedSide, searchedSides } from './search.ts';
import { PairName } from './set-table.tsx';
import styles from './sets.module.css';

/** A glossary or a TM. */
interface TextSet {
  id: string;
  name: string;
  source_lang: string | null;
  target_lang: string | null;
  updated_at: string;
}

/** The list to which a set belongs, and the name of the link there. */
const lists = {
  glossary: { to: '/app/glossaries', name: 'sets.all_glossaries', heading: 'common.glossaries' },
  memory: { to: '/app/memories', name: 'sets.all_memories', heading: 'common.memories' },
} as const satisfies Record<string, { to: string; name: MessageId; heading: MessageId }>;

type Kind = keyof typeof lists;

/** The screen of one set, or a message that the set does not exist. */
export function SetScreen<S extends TextSet>({
  kind,
  from,
  setId,
  children,
}: {
  kind: Kind;
  from: ComponentProps<typeof Read<readonly S[]>>['from'];
  setId: string;
  children: (set: S) => ReactNode;
}) {
  const t = useT();
  const { heading } = lists[kind];
  return (
    <Read from={from} lines={12} heading={heading}>
      {(sets) => {
        const set = sets.find(({ id }) => id === setId);
        if (set) return children(set);
        return (
          <>
            <title>{`${t(heading)} · LinguaLoop`}</title>
            <PageHead before={<BackLink kind={kind} />} title={t(heading)} />
            <p>{t('sets.gone')}</p>
          </>
        );
      }}
    </Read>
  );
}

function BackLink({ kind }: { kind: Kind }) {
  const t = useT();
  const { to, name } = lists[kind];
  return (
    <Link to={to} className={`button ghost ${styles.back}`} aria-label={t(name)} title={t(name)}>
      <ChevronLeft size={18} aria-hidden className="mirrored" />
    </Link>
  );
}

/**
 * The title, heading and summary of a set.
 * @param size the number of its entries, as text
 * @param children the actions on the set
 */
export function SetSummary({
  kind,
  set,
  size,
  badge,
  children,
}: {
  kind: Kind;
  set: TextSet;
  size: string;
  badge?: ReactNode;
  children: ReactNode;
}) {
  const t = useT();
  const { moment } = useFormat();
  return (
    <>
      <title>{`${plainName(set.name)} · LinguaLoop`}</title>
      <PageHead before={<BackLink kind={kind} />} title={<bdi translate="no">{set.name}</bdi>} aside={badge}>
        {children}
      </PageHead>
      <div className={styles.summary}>
        <PairName source={set.source_lang} target={set.target_lang} />
        <span>{size}</span>
        <span className={styles.soft}>
          {t('sets.changed')} <time dateTime={set.updated_at}>{moment(set.updated_at)}</time>
        </span>
      </div>
    </>
  );
}

/** The filter of a set's content. The URL of the screen contains it. */
export function SetFilter({
  to,
  setId,
  filter,
}: {
  to: '/app/glossaries/$setId' | '/app/memories/$setId';
  setId: string;
  filter: ContentFilter;
}) {
  const navigate = useNavigate();
  return (
    <ContentFilterFields
      filter={filter}
      onChange={(search) =>
        void navigate({ to, params: { setId }, search, replace: true, resetScroll: false })
      }
    />
  );
}

/** The message if a set, or a filter, has no content. @param hasMore whether further pages may have matches */
export function NoContent({ filter: { text, only }, hasMore }: { filter: ContentFilter; hasMore: boolean }) {
  const t = useT();
  return <p>{t(hasMore ? 'sets.none_so_far' : text || only ? 'sets.none_found' : 'sets.empty_set')}</p>;
}

/**
 * The search fields for a glossary or TM. A selected option applies immediately; a text applies when the form is
 * submitted.
 */
function ContentFilterFields({
  filter,
  onChange,
}: {
  filter: ContentFilter;
  onChange: (filter: ContentFilter) => void;
}) {
  const t = useT();
  const [text, setText] = useState(filter.text ?? '');
  // The browser's Back and Forward change the URL without this form.
  useEffect(() => setText(filter.text ?? ''), [filter.text]);
  const { sort, descending, only } = filter;
  const order = { ...(sort && { sort }), ...(descending && { descending }), ...(only && { only }) };
  const set = ({ text: sought, side, starts }: { text: string; side: string; starts: boolean }) =>
    onChange({
      ...order,
      ...(sought && { text: sought }),
      ...(side && { side: side as SearchedSide }),
      ...(starts && { starts }),
    });
  const shown = { text: filter.text ?? '', side: filter.side ?? '', starts: filter.starts ?? false };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set({ ...shown, text: text.trim() });
  };
  return (
    <search>
      <form onSubmit={submit} className={styles.filters}>
        <label className={styles.sought}>
          {t('sets.find')}
          <input
            type="search"
            dir="auto"
            maxLength={maxTextLength}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <label>
          {t('sets.side')}
          <select value={shown.side} onChange={({ target }) => set({ ...shown, side: target.value })}>
            <option value="">{t('sets.side_either')}</option>
            {searchedSides.map((side) => (
              <option key={side} value={side}>
                {t(`sets.side_${side}`)}
              </option>
            ))}
          </select>
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={shown.starts}
            onChange={({ target }) => set({ ...shown, starts: target.checked })}
          />
          {t('sets.starts')}
        </label>
        <div className={styles.filterActions}>
          <button type="submit">{t('sets.search')}</button>
          {filter.text && (
            <button type="button" className="plain" onClick={() => onChange(order)}>
              {t('sets.clear')}
            </button>
          )}
        </div>
      </form>
    </search>
  );
}

/** Deletes a set after a confirmation. */
export function RemoveSet({
  question,
  why,
  remove,
}: {
  question: string;
  why: string;
  remove: () => Promise<void>;
}) {
  const t = useT();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="danger" onClick={() => setAsking(true)}>
        <Trash2 size={16} aria-hidden /> {t('sets.delete')}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={question}
          action={t('sets.delete')}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>{why}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
