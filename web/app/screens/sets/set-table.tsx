import type { ReactNode } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';

interface ListedSet {
  id: string;
  source_lang: string | null;
  target_lang: string | null;
  entry_count: number;
  updated_at: string;
}

/**
 * The list of glossaries or TMs.
 * @param size the heading of the column with the number of entries
 * @param children renders the name of a set
 */
export function SetTable<S extends ListedSet>({
  sets,
  size,
  children,
}: {
  sets: readonly S[];
  size: MessageId;
  children: (set: S) => ReactNode;
}) {
  const t = useT();
  const { moment, number } = useFormat();
  return (
    <DataTable
      rows={sets}
      keyOf={({ id }) => id}
      columns={[
        { title: t('sets.name'), isName: true, cell: children },
        {
          title: t('sets.languages'),
          cell: ({ source_lang, target_lang }) => <PairName source={source_lang} target={target_lang} />,
        },
        { title: t(size), cell: ({ entry_count }) => number(entry_count) },
        {
          title: t('sets.changed'),
          cell: ({ updated_at }) => <time dateTime={updated_at}>{moment(updated_at)}</time>,
        },
      ]}
    />
  );
}

/**
 * Shows the languages of a set.
 * @param source the language tag of the file; null if each entry has its own language, or if the entries apply to any
 * language
 */
export function PairName({ source, target }: { source: string | null; target: string | null }) {
  const t = useT();
  const { nameOf } = useLanguages();
  if (source === null && target === null) return t('sets.as_in_file');
  const name = (language: string | null) => (language === null ? t('sets.as_in_file') : nameOf(language));
  return t('sets.pair', { from: name(source), to: name(target) });
}
