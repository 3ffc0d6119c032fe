import { describe, expect, test } from 'vitest';
import {
  checkFilesystem,
  checkSecret,
  type DataLakeCredential,
  parseAccountUrl,
} from '#server/platform/stores/data-lake-address.ts';

const accountUrl = 'https://contoso01.dfs.core.windows.net';

describe('account_url (B 4.6)', () => {
  test.each(['https://contoso01.dfs.core.windows.net/', 'https://contoso01.blob.core.windows.net'])(
    '%s is kept in its dfs form',
    (text) => {
      expect(parseAccountUrl(text)).toEqual({ accountUrl });
    },
  );

  test.each([
    'https://cont%6Fso01.dfs.core.windows.net',
    'https://contoso01.dfs.core.windows.net\\@example.org',
    'https://169.254.169.254/metadata',
    'http://contoso01.dfs.core.windows.net',
    'https://contoso01.dfs.core.windows.net:443',
    'https://contoso01.dfs.core.windows.net/files',
    'https://contoso01.dfs.core.windows.net?sv=1&sig=secret',
    'https://contoso01.dfs.core.windows.net#secret',
    'https://user:secret@contoso01.dfs.core.windows.net',
    'https://contoso01.dfs.core.windows.net@secret.example',
    'https://contoso01.dfs.core.windows.net.secret.example',
    'https://secret.example/contoso01.dfs.core.windows.net',
    'https://contoso01.file.core.windows.net',
    'https://contoso01.privatelink.dfs.core.windows.net',
    'https://contoso01-secondary.dfs.core.windows.net',
    `https://${'a'.repeat(25)}.dfs.core.windows.net`,
    'https://127.0.0.1',
    ' https://contoso01.dfs.core.windows.net',
    'https://contoso01.dfs.core.windows.net\n',
    '',
  ])('%j is refused, and not repeated', (text) => {
    const read = parseAccountUrl(text);
    expect(read).toEqual({ problem: expect.stringContaining('own endpoint') });
    expect(JSON.stringify(read)).not.toContain('secret');
  });
});

describe('the name of a filesystem', () => {
  test.each(['abc', 'a-b-c', 'a'.repeat(63)])('%s is one', (name) => {
    expect(checkFilesystem(name)).toBeNull();
  });

  test.each(['', 'My', 'abc-', 'a--b', 'a_b', '$root', 'abc\n'])('%j is none', (name) => {
    expect(checkFilesystem(name)).toEqual({ problem: expect.any(String) });
  });
});

describe('the form of a secret', () => {
  const sas = 'sv=2024-11-04&ss=b&srt=sco&sp=rwdlac&se=2030-01-01T00:00:00Z&sig=a%2Bb%3D';
  const key = Buffer.from('secret').toString('base64');
  const named = (rest: string) => `DefaultEndpointsProtocol=https;AccountName=contoso01;${rest}`;

  test.each<DataLakeCredential>([
    { mode: 'managed_identity' },
    { mode: 'sas', token: sas },
    { mode: 'sas', token: `?${sas}` },
    {
      mode: 'connection_string',
      connectionString: named(`AccountKey=${key};EndpointSuffix=core.windows.net`),
    },
    { mode: 'connection_string', connectionString: named(`SharedAccessSignature=${sas};`) },
    {
      mode: 'connection_string',
      connectionString: named(`BlobEndpoint=https://other.example;AccountKey=${key}`),
    },
  ])('%j has it', (credential) => {
    expect(checkSecret(accountUrl, credential)).toBeNull();
  });

  test.each<DataLakeCredential>([
    { mode: 'sas', token: '' },
    { mode: 'sas', token: 'secret' },
    { mode: 'sas', token: 'sig=secret' },
    { mode: 'sas', token: `https://contoso01.dfs.core.windows.net/secret?${sas} ` },
    { mode: 'sas', token: `${sas}#secret` },
    { mode: 'sas', token: `${sas}\r\nsecret: x` },
    { mode: 'sas', token: `${sas}&x=${'secret'.repeat(2000)}` },
    { mode: 'connection_string', connectionString: `AccountKey=${key}` },
    { mode: 'connection_string', connectionString: named('AccountKey=sec ret') },
    { mode: 'connection_string', connectionString: named('SharedAccessSignature=sv=1&sp=secret') },
    { mode: 'connection_string', connectionString: `AccountName=other;AccountKey=${key}` },
  ])('%j does not, and the problem does not repeat it', (credential) => {
    const found = checkSecret(accountUrl, credential);
    expect(found).toEqual({ problem: expect.any(String) });
    expect(found?.problem).not.toMatch(/secret|c2VjcmV0/);
  });
});
