import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { announce } from '../../parts/announcer.tsx';
import { isolated } from '../../parts/language-text.tsx';
import { Loading, Read } from '../../parts/loading.tsx';
import { queryKeys } from '../../query-keys.ts';
import { AlignForm } from './align-form.tsx';
import { AlignedRows } from './align-rows.tsx';
import { type AlignmentWork, dropAlignment, readAlignment } from './kept-alignment.ts';
import { useMemories } from './use-imports.ts';

/** `/app/memories/align`: makes TM segments of an old file and its translation. */
export function AlignScreen() {
  const t = useT();
  const { memory } = useSearch({ from: '/workspace/app/memories/align' });
  const memories = useMemories();
  /** Null: none; undefined: not read yet. */
  const [work, setWork] = useState<AlignmentWork | null>();
  const [isAsking, setAsking] = useState(false);
  const isStored = useRef(false);
  const store = useStoring(isStored);
  useEffect(() => {
    void readAlignment().then((kept) => setWork(kept ?? null));
  }, []);
  const startOver = async () => {
    await dropAlignment();
    setWork(null);
  };
  const back = (
    <Link
      to="/app/memories"
      className="button ghost"
      aria-label={t('sets.all_memories')}
      title={t('sets.all_memories')}
    >
      <ChevronLeft size={18} aria-hidden className="mirrored" />
    </Link>
  );
  const acts = work ? (
    <button type="button" onClick={() => setAsking(true)}>
      {t('align.start_over')}
    </button>
  ) : null;
  return (
    <AdminsOnly title="align.title" before={back} acts={acts}>
      {() =>
        work === undefined ? (
          <Loading lines={12} />
        ) : work ? (
          <>
            <AlignedRows first={work} isStored={isStored} onAdd={store} />
            {isAsking && (
              <ConfirmDialog
                title={t('align.start_over_question')}
                action={t('align.start_over')}
                onConfirm={startOver}
                onClose={() => setAsking(false)}
              >
                <p>{t('align.start_over_why')}</p>
              </ConfirmDialog>
            )}
          </>
        ) : (
          <Read from={memories} lines={12}>
            {(sets) => (
              <AlignForm
                sets={sets.filter(({ origin }) => origin === 'tmx_import')}
                first={memory}
                onAligned={setWork}
              />
            )}
          </Read>
        )
      }
    </AdminsOnly>
  );
}

/** Returns a function that adds pairs to the memory of the work, and then shows the memory. */
function useStoring(isStored: RefObject<boolean>) {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async (
    { into, languages, files }: Pick<AlignmentWork, 'into' | 'languages' | 'files'>,
    pairs: { source: string; target: string }[],
  ) => {
    const request = { source_lang: languages.source, target_lang: languages.target, pairs };
    const name = isolated(into.name);
    let setId = into.id;
    if (setId !== undefined) {
      const { added, already_there } = await client.memory.addPairs({ ...request, set_id: setId });
      announce(t('align.added', { name, added, already: already_there }));
    } else {
      const stored = await client.memory.importPairs({
        ...request,
        name: into.name,
        file_name: files.source,
      });
      if ('id' in stored) setId = stored.id;
      announce(
        'id' in stored
          ? t('sets.imported', { name: stored.name, count: stored.entry_count })
          : t('sets.import_goes_on'),
      );
    }
    isStored.current = true;
    await dropAlignment();
    await queries.invalidateQueries({ queryKey: queryKeys.memory.all });
    await (setId === undefined
      ? navigate({ to: '/app/memories' })
      : navigate({ to: '/app/memories/$setId', params: { setId } }));
  };
}
