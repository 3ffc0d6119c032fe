import type { ReactNode, Ref } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { useT } from '../i18n.tsx';
import { Row, Stack } from '../kit/box.tsx';
import { Text } from '../kit/text.tsx';
import { Problem } from './problem.tsx';
import styles from './setting.module.css';

/**
 * A card of the settings: a title, a sentence about it, and its controls.
 * @param id the id of the title
 * @param action a control at the end of the title's line
 * @param wide for a table, which may be wider than text
 */
export function Setting({
  id,
  title,
  why,
  action,
  wide = false,
  heading,
  children,
}: {
  id: string;
  title: string;
  why?: ReactNode;
  action?: ReactNode;
  wide?: boolean;
  heading?: Ref<HTMLHeadingElement>;
  children?: ReactNode;
}) {
  return (
    <section aria-labelledby={id} className={`card ${styles['card']} ${wide ? styles['wide'] : ''}`}>
      <Row gap={4} align="start" justify="space-between">
        <Stack gap={0}>
          <Text as="h2" size="md" id={id} ref={heading} tabIndex={-1}>
            {title}
          </Text>
          {why && <p className="hint">{why}</p>}
        </Stack>
        {action}
      </Row>
      {children && <div className={styles['body']}>{children}</div>}
    </section>
  );
}

/** Whether another administrator has changed the settings since they were read. */
export function isConflict(error: unknown): boolean {
  return error instanceof LinguaLoopError && error.status === 409;
}

/** Shows why settings were not saved. After a conflict, the next attempt replaces those of the other administrator. */
export function SaveProblem({ error }: { error: unknown }) {
  const t = useT();
  if (!isConflict(error)) return <Problem error={error} />;
  return (
    <p role="alert" className="problem">
      {t('security.settings_changed')}
    </p>
  );
}
