import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronLeft, Download, Trash2 } from 'lucide-react';
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { ActionButton } from '../../kit/action-button.tsx';
import { Fill, Row, Stack } from '../../kit/box.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Check, Field } from '../../kit/field.tsx';
import { Select } from '../../kit/select.tsx';
import { Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { plainName } from '../../parts/language-text.tsx';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { maxTextLength } from '../../parts/searched-text.ts';
import { queryKeys } from '../../query-keys.ts';
import { type ContentFilter, type SearchedSide, searchedSides } from './search.ts';
import { PairName } from './set-table.tsx';

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
} as const;

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
    <Link to={to} className="button ghost" aria-label={t(name)} title={t(name)}>
      <ChevronLeft size={18} aria-hidden className="mirrored" />
    </Link>
  );
}

/**
 * The title, heading and summary of a set.
 * @param size the number of its entries, as text
 * @param children the actions on the set
 * @param filters shown below the summary
 */
export function SetSummary({
  kind,
  set,
  size,
  badge,
  filters,
  children,
}: {
  kind: Kind;
  set: TextSet;
  size: string;
  badge?: ReactNode;
  filters?: ReactNode;
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
      <Stack gap={4}>
        <Row gap={4}>
          <PairName source={set.source_lang} target={set.target_lang} />
          <span>{size}</span>
          <Text size="sm" tone="soft">
            {t('sets.changed')} <time dateTime={set.updated_at}>{moment(set.updated_at)}</time>
          </Text>
        </Row>
        {filters}
      </Stack>
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

interface Shown {
  text: string;
  side: SearchedSide | '';
  starts: boolean;
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
  const set = ({ text: sought, side, starts }: Shown) =>
    onChange({
      ...order,
      ...(sought && { text: sought }),
      ...(side && { side }),
      ...(starts && { starts }),
    });
  const shown: Shown = { text: filter.text ?? '', side: filter.side ?? '', starts: filter.starts ?? false };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set({ ...shown, text: text.trim() });
  };
  return (
    <search>
      <Row as="form" gap={4} align="end" onSubmit={submit}>
        <Fill least={14}>
          <Field
            label={t('sets.find')}
            type="search"
            dir="auto"
            maxLength={maxTextLength}
            value={text}
            onValue={setText}
          />
        </Fill>
        <Select
          label={t('sets.side')}
          value={shown.side}
          options={[
            { value: '', name: t('sets.side_either') },
            ...searchedSides.map((side) => ({ value: side, name: t(`sets.side_${side}`) })),
          ]}
          onChange={(side) => set({ ...shown, side })}
        />
        <Check
          label={t('sets.starts')}
          isChecked={shown.starts}
          onChange={(starts) => set({ ...shown, starts })}
        />
        <Row>
          <button type="submit">{t('sets.search')}</button>
          {filter.text && (
            <button type="button" className="plain" onClick={() => onChange(order)}>
              {t('sets.clear')}
            </button>
          )}
        </Row>
      </Row>
    </search>
  );
}

/** The actions on a set: save it as a file, or delete it after a confirmation. */
export function SetActions({
  kind,
  set: { id, name },
  formats,
  onDelete,
}: {
  kind: Kind;
  set: TextSet;
  formats: readonly (readonly [
    name: MessageId,
    read: (id: string) => Promise<{ fileName: string; body: BodyInit }>,
  ])[];
  onDelete: (id: string) => Promise<unknown>;
}) {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { all, sets } = kind === 'glossary' ? queryKeys.terminology : queryKeys.memory;
  const save = async (read: (typeof formats)[number][1]) => {
    const file = await read(id);
    await saveFile(file);
    announce(t('sets.exported', { name: file.fileName }));
  };
  const remove = async () => {
    await onDelete(id);
    announce(t('sets.deleted', { name }));
    await navigate({ to: lists[kind].to });
    // The list must not show the deleted set until it is reloaded.
    queries.setQueryData<TextSet[]>(sets, (known) => known?.filter((one) => one.id !== id));
    await queries.invalidateQueries({ queryKey: all });
  };
  return (
    <>
      {formats.map(([format, read]) => (
        <ActionButton key={format} busy={t('sets.exporting')} onRun={() => save(read)}>
          <Download size={16} aria-hidden /> {t(format)}
        </ActionButton>
      ))}
      <button type="button" className="danger" onClick={() => setAsking(true)}>
        <Trash2 size={16} aria-hidden /> {t('sets.delete')}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={t(`sets.delete_${kind}`)}
          action={t('sets.delete')}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>{t(`sets.delete_${kind}_why`)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
