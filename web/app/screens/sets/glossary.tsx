import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState } from 'react';
import type { TerminologySet } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Chips } from '../../kit/chips.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Problem } from '../../parts/problem.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { glossaryService, useGlossaries } from '../../terms/use-glossaries.ts';
import { type ContentFilter, termKinds } from './search.ts';
import { RemoveSet, SetFilter, SetScreen, SetSummary } from './set-screen.tsx';
import { TermList } from './term-list.tsx';

/** `/app/glossaries/{id}`: the terms of a glossary, which can be added, changed and deleted one by one. */
export function GlossaryScreen() {
  const { setId } = useParams({ from: '/workspace/app/glossaries/$setId' });
  const glossaries = useGlossaries();
  return (
    <SetScreen kind="glossary" from={glossaries} setId={setId}>
      {(set) => <Glossary key={set.id} set={set} />}
    </SetScreen>
  );
}

function Glossary({ set }: { set: TerminologySet }) {
  const t = useT();
  const filter = useSearch({ from: '/workspace/app/glossaries/$setId' });
  return (
    <>
      <SetSummary
        kind="glossary"
        set={set}
        size={t('sets.terms_count', { count: set.entry_count })}
        filters={
          <>
            <SetFilter to="/app/glossaries/$setId" setId={set.id} filter={filter} />
            <KindFilter set={set} filter={filter} />
          </>
        }
      >
        <Actions set={set} />
      </SetSummary>
      <TermList set={set} filter={filter} />
    </>
  );
}

/** The buttons that show only one kind of terms. */
function KindFilter({ set, filter }: { set: TerminologySet; filter: ContentFilter }) {
  const t = useT();
  const navigate = useNavigate();
  const { only, ...others } = filter;
  return (
    <Chips
      label={t('sets.only')}
      value={only ?? 'all'}
      options={(['all', ...termKinds] as const).map((kind) => [kind, t(`sets.only_${kind}`)])}
      onChange={(kind) =>
        void navigate({
          to: '/app/glossaries/$setId',
          params: { setId: set.id },
          search: { ...others, ...(kind !== 'all' && { only: kind }) },
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}

type Format = 'xlsx' | 'csv' | 'tbx';

/** Reads a glossary as a file in each format. */
const read: Record<Format, (setId: string) => Promise<{ fileName: string; body: BodyInit }>> = {
  xlsx: (setId) => glossaryService.exportXlsx(setId),
  csv: (setId) => glossaryService.exportCsv(setId),
  tbx: async (setId) => {
    const { fileName, text } = await glossaryService.exportTbx(setId);
    return { fileName, body: text };
  },
};

/** The actions on a glossary: export it, or delete it. */
function Actions({ set }: { set: TerminologySet }) {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const [format, setFormat] = useState<Format>('tbx');
  const save = (wanted: Format) => {
    return run(async () => {
      setFormat(wanted);
      const file = await read[wanted](set.id);
      await saveFile(file);
      announce(t('sets.exported', { name: file.fileName }));
    })();
  };
  const remove = async () => {
    await glossaryService.delete(set.id);
    announce(t('sets.deleted', { name: set.name }));
    await navigate({ to: '/app/glossaries' });
    // The list must not show the deleted glossary until it is reloaded.
    queries.setQueryData<TerminologySet[]>(queryKeys.terminology.sets, (sets) =>
      sets?.filter(({ id }) => id !== set.id),
    );
    await queries.invalidateQueries({ queryKey: queryKeys.terminology.all });
  };
  return (
    <>
      {(['xlsx', 'csv', 'tbx'] as const).map((one) => (
        <button key={one} type="button" aria-disabled={isBusy} onClick={() => void save(one)}>
          <Download size={16} aria-hidden />{' '}
          {t(isBusy && format === one ? 'sets.exporting' : `sets.export_${one}`)}
        </button>
      ))}
      <RemoveSet question={t('sets.delete_glossary')} why={t('sets.delete_glossary_why')} remove={remove} />
      {error ? <Problem error={error} retry={() => void save(format)} /> : null}
    </>
  );
}
