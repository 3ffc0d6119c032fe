import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { TerminologySet } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Chips } from '../../kit/chips.tsx';
import { glossaryService, useGlossaries } from '../../terms/use-glossaries.ts';
import { type ContentFilter, termKinds } from './search.ts';
import { SetActions, SetFilter, SetScreen, SetSummary } from './set-screen.tsx';
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
        <SetActions
          kind="glossary"
          set={set}
          formats={[
            ['sets.export_xlsx', (id) => glossaryService.exportXlsx(id)],
            ['sets.export_csv', (id) => glossaryService.exportCsv(id)],
            ['sets.export_tbx', exportTbx],
          ]}
          onDelete={(id) => glossaryService.delete(id)}
        />
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

async function exportTbx(setId: string) {
  const { fileName, text } = await glossaryService.exportTbx(setId);
  return { fileName, body: text };
}
