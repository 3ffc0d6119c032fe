import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { useT } from '../../i18n.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { isConflict, Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { FileInput } from '../sets/file-input.tsx';

/** The rules by which texts are divided into sentences: the built-in ones, or an SRX file of the workspace. */
export function Segmentation() {
  const t = useT();
  const { moment } = useFormat();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const [isRemoving, setRemoving] = useState(false);
  const rules = useQuery({ queryKey: queryKeys.segmentation, queryFn: readRules });
  /** The version that the administrator sees; null for the built-in rules. */
  const version = rules.data?.version ?? null;
  const readAgain = () => queries.invalidateQueries({ queryKey: queryKeys.segmentation });
  const upload = (file: File) =>
    run(async () => {
      try {
        await procedures.segmentation.save.mutate({
          name: file.name.slice(0, 200),
          srx: await file.text(),
          version,
        });
        announce(t('common.saved'));
      } finally {
        await readAgain();
      }
    })();
  return (
    <Setting id="segmentation" title={t('general.segmentation')} why={t('general.segmentation_why')}>
      {isConflict(error) ? (
        <p role="alert" className="problem">
          {t('general.rules_changed')}
        </p>
      ) : (
        error !== undefined && <Problem error={error} />
      )}
      <Read from={rules} lines={2}>
        {(file) =>
          file === null ? (
            <p>{t('general.segmentation_built_in')}</p>
          ) : (
            <>
              <p>
                <bdi translate="no">{file.name}</bdi>{' '}
                <span className="hint">
                  {t(file.updated_by === null ? 'general.saved_at' : 'general.saved_by', {
                    when: moment(file.updated_at),
                    who: file.updated_by ?? '',
                  })}
                </span>
              </p>
              <div className="actions">
                <button
                  type="button"
                  onClick={() =>
                    void saveFile({ fileName: file.name, body: new Blob([file.srx], { type: 'text/xml' }) })
                  }
                >
                  {t('general.download')}
                </button>
                <button type="button" onClick={() => setRemoving(true)}>
                  {t('general.segmentation_remove')}
                </button>
              </div>
            </>
          )
        }
      </Read>
      <FileInput
        accept=".srx,.xml"
        aria-label={t('general.segmentation_upload')}
        files={[]}
        disabled={isBusy || rules.data === undefined}
        onFiles={([file]) => {
          if (file) void upload(file);
        }}
      />
      {isRemoving && (
        <ConfirmDialog
          title={t('general.segmentation_remove_title')}
          action={t('general.segmentation_remove')}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await procedures.segmentation.delete.mutate({ version }).finally(readAgain);
            announce(t('general.segmentation_removed'));
          }}
        >
          <p>{t('general.segmentation_remove_why')}</p>
        </ConfirmDialog>
      )}
    </Setting>
  );
}

/** Returns null if the workspace has the built-in rules. */
async function readRules(): Promise<OutputOf<'segmentation.get'> | null> {
  try {
    return await procedures.segmentation.get.query();
  } catch (error) {
    if (error instanceof LinguaLoopError && error.status === 404) return null;
    throw error;
  }
}
