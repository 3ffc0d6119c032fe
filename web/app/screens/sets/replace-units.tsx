import { Replace, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { FoundUnits, MemoryReplacementPreview, TranslationMemorySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { ActionButton } from '../../kit/action-button.tsx';
import { Grid, Row } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { ConfirmDialog, Dialog } from '../../kit/dialog.tsx';
import { Check, Field } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { maxTextLength } from '../../parts/searched-text.ts';
import { type ContentFilter, contentRequest } from './search.ts';
import styles from './terms.module.css';
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
  const { text } = filter;
  const request = () => ({ ...contentRequest(set.id, filter, undefined), text: text ?? '' });
  const count = async () => setFound(await client.memory.countFound(request()));
  const remove = async (version: string) =>
    changes.made(await client.memory.deleteFound({ ...request(), version }));
  return (
    <Row>
      <button type="button" onClick={() => setReplacing(true)}>
        <Replace size={16} aria-hidden /> {t('editor.replace')}
      </button>
      {text && (
        <ActionButton onRun={count}>
          <Trash2 size={16} aria-hidden /> {t('sets.delete_found')}
        </ActionButton>
      )}
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
    </Row>
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
  const isFound = preview !== undefined && preview.segments > 0;
  const submit = async () => {
    if (!isFound) return setPreview(await client.memory.previewReplace(request));
    await changes.made(await client.memory.replace({ ...request, version: preview.version }));
    onClose();
  };
  return (
    <Dialog title={t('editor.replace')} onClose={onClose}>
      <Form
        action={isFound ? t('editor.replace_in', { count: preview.segments }) : t('sets.preview')}
        isReady={wanted.find !== ''}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Grid least={12}>
          {(['find', 'replacement'] as const).map((name) => (
            <Field
              key={name}
              label={t(name === 'find' ? 'editor.find_in_translations' : 'editor.replace_with')}
              maxLength={maxTextLength}
              dir="auto"
              autoComplete="off"
              value={wanted[name]}
              onValue={(value) => change({ [name]: value })}
            />
          ))}
          {(['match_case', 'whole_words'] as const).map((name) => (
            <Check
              key={name}
              label={t(`editor.${name}`)}
              isChecked={wanted[name]}
              onChange={(isOn) => change({ [name]: isOn })}
            />
          ))}
        </Grid>
        {preview && <Preview set={set} preview={preview} />}
      </Form>
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
        <DataTable
          rows={hits}
          keyOf={({ unit_no }) => String(unit_no)}
          columns={[
            {
              title: t('sets.source'),
              wraps: true,
              cell: ({ source_text }) => (
                <LanguageText as="span" language={set.source_lang} className={styles.text}>
                  {source_text}
                </LanguageText>
              ),
            },
            {
              title: t('sets.target'),
              wraps: true,
              cell: ({ target_text, spans, replaced }) => (
                <div>
                  <LanguageText as="span" language={set.target_lang} className={styles.text}>
                    {markSpans(target_text, spans)}
                  </LanguageText>
                  <LanguageText as="span" language={set.target_lang} className={styles.text}>
                    {replaced}
                  </LanguageText>
                </div>
              ),
            },
          ]}
        />
      )}
    </div>
  );
}
