import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { useT } from '../../i18n.tsx';
import { Field, TextArea } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Read } from '../../parts/loading.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { isConflict, SaveProblem, Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';

const fields = ['keys', 'attributes', 'placeholders'] as const;
type FieldName = (typeof fields)[number];
type Rules = OutputOf<'textRules.get'>;

/** The lines of a text that are not empty. Spaces around a pattern can be a part of it. */
const linesOf = (text: string, field: FieldName) =>
  text
    .split('\n')
    .map((line) => (field === 'placeholders' ? line : line.trim()))
    .filter((line) => line.trim() !== '');

/** Names the line that is wrong, unless the message does. */
function problemOf(error: unknown, field: FieldName, lines: readonly string[]): string | undefined {
  const problem = fieldProblem(error, field);
  if (problem === undefined || !(error instanceof LinguaLoopError) || typeof error.detail === 'string')
    return problem;
  const wrong = lines[Number(error.detail.find(({ loc }) => loc.includes(field))?.loc.at(-1) ?? -1)];
  return wrong === undefined || problem.includes(wrong) ? problem : `${wrong}: ${problem}`;
}

/** The workspace's own keys, attributes and placeholders. */
export function TextRules() {
  const t = useT();
  const rules = useQuery({
    queryKey: queryKeys.textRules,
    queryFn: () => procedures.textRules.get.query(),
    // Another reading must not replace what the administrator types.
    staleTime: Infinity,
    gcTime: 0,
  });
  return (
    <Setting id="text-rules" title={t('general.text_rules')} why={t('general.text_rules_why')}>
      <Read from={rules} lines={8}>
        {(saved) => <RulesForm saved={saved} />}
      </Read>
    </Setting>
  );
}

/** If another administrator has saved the rules since, the form shows this, and a second save replaces those. */
function RulesForm({ saved }: { saved: Rules }) {
  const t = useT();
  const queries = useQueryClient();
  const [version, setVersion] = useState(saved.version);
  const [texts, setTexts] = useState({
    keys: saved.keys.join('\n'),
    attributes: saved.attributes.join('\n'),
    placeholders: saved.placeholders.join('\n'),
  });
  const lines = {
    keys: linesOf(texts.keys, 'keys'),
    attributes: linesOf(texts.attributes, 'attributes'),
    placeholders: linesOf(texts.placeholders, 'placeholders'),
  };
  const save = async () => {
    try {
      const now = await procedures.textRules.save.mutate({ ...lines, version });
      queries.setQueryData(queryKeys.textRules, now);
      setVersion(now.version);
      announce(t('common.saved'));
    } catch (thrown) {
      if (isConflict(thrown)) setVersion((await procedures.textRules.get.query()).version);
      throw thrown;
    }
  };
  const isChanged = fields.some((field) => lines[field].join('\n') !== saved[field].join('\n'));
  return (
    <Form
      action={t('common.save')}
      isReady={isChanged}
      onSubmit={save}
      problem={(error) => <SaveProblem error={error} />}
    >
      {({ error }) => (
        <>
          {fields.map((field) => (
            <TextArea
              key={field}
              label={t(`general.text_rules_${field}`)}
              hint={t(`general.text_rules_${field}_hint`)}
              name={field}
              problem={problemOf(error, field, lines[field])}
              value={texts[field]}
              onValue={(typed) => setTexts({ ...texts, [field]: typed })}
            />
          ))}
          <Trial placeholders={lines.placeholders} />
        </>
      )}
    </Form>
  );
}

/** A text, and what the patterns would keep in it. Patterns can be tried before they are saved. */
function Trial({ placeholders }: { placeholders: string[] }) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [text, setText] = useState('');
  const [tried, setTried] = useState<{ text: string; found: OutputOf<'textRules.try'>['found'] }>();
  const attempt = run(async () => {
    setTried(undefined);
    const { found } = await procedures.textRules.try.query({ placeholders, text });
    setTried({ text, found });
  });
  const problem = problemOf(error, 'placeholders', placeholders);
  return (
    <>
      <Field
        label={t('general.text_rules_text')}
        problem={problem}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        maxLength={2000}
        value={text}
        onValue={setText}
        onKeyDown={(event) => {
          // The form around it would be saved.
          if (event.key === 'Enter') void attempt(event);
        }}
      />
      <div className="actions">
        <button
          type="button"
          aria-disabled={isBusy}
          disabled={!text || !placeholders.length}
          onClick={attempt}
        >
          {t('general.text_rules_try')}
        </button>
      </div>
      {error !== undefined && problem === undefined && <Problem error={error} />}
      {tried && (
        <div role="status">
          <p className="hint">
            {t(tried.found.length > 0 ? 'general.text_rules_kept' : 'general.text_rules_nothing')}
          </p>
          <p dir="auto" translate="no">
            {tried.found.map(({ start, end }, at) => (
              <span key={start}>
                {tried.text.slice(tried.found[at - 1]?.end ?? 0, start)}
                <mark>{tried.text.slice(start, end)}</mark>
              </span>
            ))}
            {tried.text.slice(tried.found.at(-1)?.end ?? 0)}
          </p>
        </div>
      )}
    </>
  );
}
