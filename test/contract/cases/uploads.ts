import { glossaryForm, memoryForm, tmxFile } from '#test/factories.ts';
import { asKey, asMember, type Cases } from './case.ts';

const json = (body: object) => ({ contentType: 'application/json', body: JSON.stringify(body) });

/** Forms that upload a glossary or a TM. */
export const uploadCases: Cases = {
  'terminology.upload': [
    {
      name: 'takes the file by its older name, of a member',
      status: 200,
      ask: asMember(() => {
        const { terminology_file: terminology_csv, ...rest } = glossaryForm();
        return { ...rest, terminology_csv };
      }),
    },
    {
      name: 'the file is missing',
      status: 400,
      detail: 'terminology_file upload is required',
      ask: asKey({ name: 'Words' }),
    },
    {
      name: 'a TMX file has no languages',
      status: 400,
      detail: 'source_lang is required',
      ask: asKey(() => glossaryForm(1, { terminology_file: tmxFile() })),
    },
    {
      name: 'it is no form',
      status: 400,
      detail: 'terminology_file upload is required',
      ask: asKey(),
      raw: json({ name: 'Words' }),
    },
  ],
  'memory.import': [
    { name: 'stores a small file', status: 200, ask: asKey(() => memoryForm()) },
    {
      name: 'continues with a large one',
      status: 202,
      ask: asKey(() => memoryForm(2, { name: 'Two units' })),
      withoutWorkers: true,
    },
    {
      name: 'the file is missing',
      status: 400,
      detail: 'tmx_file upload is required',
      ask: asKey({ name: 'Units' }),
    },
    {
      name: 'it is no form',
      status: 400,
      detail: 'tmx_file upload is required',
      ask: asKey(),
      raw: json({ name: 'Units' }),
    },
  ],
};
