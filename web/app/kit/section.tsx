import { type ReactNode, useId } from 'react';
import { Grid, Row, Stack } from './box.tsx';
import { Card } from './card.tsx';
import { Text } from './text.tsx';

/**
 * A card with a heading.
 * @param why a sentence about the content
 * @param aside a control at the end of the heading's line
 */
export function Section({
  title,
  why,
  aside,
  children,
}: {
  title: string;
  why?: ReactNode;
  aside?: ReactNode;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <Card as="section" aria-labelledby={id}>
      <Stack gap={1}>
        <Row gap={3} justify="space-between">
          <Text as="h2" size="md" id={id}>
            {title}
          </Text>
          {aside}
        </Row>
        {why && <p className="hint">{why}</p>}
      </Stack>
      {children}
    </Card>
  );
}

/** Figures next to each other, each with its name. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Grid as="dl" least={11}>
      {of.map(([name, value]) => (
        <div key={name}>
          <Text as="dt" size="xs" tone="faint">
            {name}
          </Text>
          <Text as="dd" weight="semi" isNumeric>
            {value}
          </Text>
        </div>
      ))}
    </Grid>
  );
}
