import { Replace, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { FoundUnits, MemoryReplacementPreview, TranslationMemorySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { ConfirmDialog, Dialog } from '../../kit/dialog.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { maxTextLength } from '../../parts/searched-text.ts';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { type ContentFilter, contentRequest } from './search.ts';
import styles from './sets.module.css';
import { markSpans } from './unit-list.tsx';
import type { MemoryChanges } from './use-memory-changes.ts';

/** The actions on many segments: find and replace, and the deletion of all that the present search finds. */
export function BulkActions({
  set,
  filter,
  changes,
}: {
  set: TranslationMemorySet;
  filter: ContentFilter;
  changes: MemoryChanges;
}) {
  const t = useT();
  const [isReplacing, setReplacing] = useState(false);
  const [found, setFound] = useState<FoundUnits>();
  const { run, error, isBusy } = useAction();
  const { text } = filter;
  const request = () => ({ ...contentRequest(set.id, filter, undefined), text: text ?? '' });
  const count = run(async () => setFound(await client.memory.countFound(request())));
  const remove = async (version: string) =>
    changes.made(await client.memory.deleteFound({ ...request(), version }));
  return (
    <div className={styles.filterActions}>
      <button type="button" onClick={() => setReplacing(true)}>
        <Replace size={16} aria-hidden /> {t('editor.replace')}
      </button>
      {text && (
        <button type="button" disabled={isBusy} onClick={count}>
          <Trash2 size={16} aria-hidden /> {t('sets.delete_found')}
        </button>
      )}
      {error ? <Problem error={error} /> : null}
      {found && (
        <ConfirmDialog
          title={t('sets.delete_found')}
          action={t('sets.delete')}
          isReady={found.segments > 0}
          onConfirm={() => remove(found.version)}
          onClose={() => setFound(undefined)}
        >
          <p>{t('sets.delete_found_why', { count: found.segments })}</p>
        </ConfirmDialog>
      )}
      {isReplacing && (
        <ReplaceDialog set={set} sought={text ?? ''} changes={changes} onClose={() => setReplacing(false)} />
      )}
    </div>
  );
}

/** Shows what a replacement would change, and then makes the change. */
function ReplaceDialog({
  set,
  sought,
  changes,
  onClose,
}: {
  set: TranslationMemorySet;
  sought: string;
  changes: MemoryChanges;
  onClose: () => void;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [wanted, setWanted] = useState({
    find: sought,
    replacement: '',
    match_case: false,
    whole_words: false,
  });
  const [preview, setPreview] = useState<MemoryReplacementPreview>();
  const change = (changed: Partial<typeof wanted>) => {
    setWanted((before) => ({ ...before, ...changed }));
    setPreview(undefined);
  };
  const request = { set_id: set.id, ...wanted };
  const look = run(async () => setPreview(await client.memory.previewReplace(request)));
  const replace = (version: string) =>
    run(async () => {
      await changes.made(await client.memory.replace({ ...request, version }));
      onClose();
    });
  return (
    <Dialog title={t('editor.replace')} onClose={onClose} isBusy={isBusy}>
      <div className={styles.pair}>
        {(['find', 'replacement'] as const).map((name) => (
          <label key={name}>
            {t(name === 'find' ? 'editor.find_in_translations' : 'editor.replace_with')}
            <input
              maxLength={maxTextLength}
              dir="auto"
              autoComplete="off"
              value={wanted[name]}
              onChange={({ target }) => change({ [name]: target.value })}
            />
          </label>
        ))}
        {(['match_case', 'whole_words'] as const).map((name) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={wanted[name]}
              onChange={({ target }) => change({ [name]: target.checked })}
            />
            {t(`editor.${name}`)}
          </label>
        ))}
      </div>
      {preview && <Preview set={set} preview={preview} />}
      {error ? <Problem error={error} /> : null}
      <div className="actions">
        {preview && preview.segments > 0 ? (
          <button type="button" className="primary" disabled={isBusy} onClick={replace(preview.version)}>
            {t('editor.replace_in', { count: preview.segments })}
          </button>
        ) : (
          <button type="button" className="primary" disabled={isBusy || wanted.find === ''} onClick={look}>
            {t('sets.preview')}
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={onClose}>
          {t('common.cancel')}
        </button>
      </div>
    </Dialog>
  );
}

function Preview({ set, preview }: { set: TranslationMemorySet; preview: MemoryReplacementPreview }) {
  const t = useT();
  const { segments, occurrences, left_out: leftOut, hits } = preview;
  return (
    <div role="status">
      <p>
        {segments === 0
          ? t('editor.replace_none')
          : t('editor.replace_found', { matches: occurrences, segments })}{' '}
        {leftOut > 0 && t('editor.replace_left_out', { count: leftOut })}
      </p>
      {hits.length > 0 && (
        <StackedTable columns={[t('sets.source'), t('sets.target')]} className={styles.texts}>
          {hits.map(({ unit_no, source_text, target_text, spans, replaced }) => (
            <tr key={unit_no}>
              <td>
                <LanguageText as="span" language={set.source_lang} className={styles.text}>
                  {source_text}
                </LanguageText>
              </td>
              <td>
                <LanguageText as="span" language={set.target_lang} className={styles.text}>
                  {markSpans(target_text, spans)}
                </LanguageText>
                <LanguageText as="span" language={set.target_lang} className={styles.text}>
                  {replaced}
                </LanguageText>
              </td>
            </tr>
          ))}
        </StackedTable>
      )}
    </div>
  );
}
