import type { ReactNode } from 'react';
import { Stack } from './box.tsx';
import { Text } from './text.tsx';

/** What a list shows that has nothing: why, and what can be done. */
export function Empty({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <Stack gap={3} align="start">
      <Text as="p" tone="soft">
        {title}
      </Text>
      {children}
    </Stack>
  );
}
