import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Dialog, FormActions } from '../../parts/confirm-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { isNameTaken, maxNameLength, useNewGlossary } from '../../terms/use-new-glossary.ts';
import styles from './sets.module.css';

/** A dialog that creates a glossary without terms, and then opens it, so that its terms can be added. */
export function NewGlossaryDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  const navigate = useNavigate();
  const create = useNewGlossary();
  const { run, error, isBusy } = useAction();
  const [name, setName] = useState('');
  const [source, setSource] = useState('');
  const [target, setTarget] = useState('');
  const [wasSent, setWasSent] = useState(false);
  const isNameMissing = name.trim() === '';
  const pairProblem = !(source && target)
    ? t('sets.no_language')
    : source === target && t('sets.same_language');
  const isTaken = isNameTaken(error);
  const save = run(async () => {
    const set = await create({ name, source_lang: source, target_lang: target });
    announce(t('sets.created', { name: set.name }));
    await navigate({ to: '/app/glossaries/$setId', params: { setId: set.id } });
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (!isNameMissing && !pairProblem) void save();
  };
  return (
    <Dialog title={t('sets.new_glossary')} onClose={onClose} isBusy={isBusy}>
      <form onSubmit={submit} noValidate className="form">
        <Field
          label={t('sets.name')}
          value={name}
          maxLength={maxNameLength}
          dir="auto"
          autoComplete="off"
          problem={wasSent && isNameMissing ? t('sets.no_name') : isTaken ? t('sets.name_taken') : undefined}
          onValue={setName}
        />
        <div className={styles.pair}>
          <LanguageSelect
            label={t('sets.source_language')}
            value={source}
            any={t('sets.choose_one')}
            onChange={setSource}
          />
          <LanguageSelect
            label={t('sets.target_language')}
            value={target}
            any={t('sets.choose_one')}
            onChange={setTarget}
          />
        </div>
        {wasSent && pairProblem && (
          <p className="field-problem" role="alert">
            {pairProblem}
          </p>
        )}
        {error && !isTaken ? <Problem error={error} /> : null}
        <FormActions action={t('sets.create')} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
