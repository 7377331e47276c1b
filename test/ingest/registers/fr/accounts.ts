const identity = {
  siren: '999999999',
  date_cloture_exercice: '20201231',
  code_greffe: '7501',
  num_depot: '12',
  num_gestion: '2001B00001',
  'date_cloture_exercice_n-1': '20191231',
  duree_exercice_n: '12',
  'duree_exercice_n-1': '12',
  date_depot: '20211201',
  code_type_bilan: 'C',
  code_devise: 'EUR',
  code_confidentialite: '0',
  denomination: '<![CDATA[MADE UP]]>',
}

/** Made-up accounts in the register's layout, for tests of the rules rather than of the figures. */
export function accounts(change: Partial<Record<keyof typeof identity, string>>, pages: string): string {
  const fields = Object.entries({ ...identity, ...change }).map(
    ([name, text]) => `<${name}>${text}</${name}>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<bilans version="1.0" xmlns="fr:inpi:odrncs:bilansSaisisXML"><bilan><identite>
${fields.join('\n')}
</identite><detail>${pages}</detail></bilan></bilans>`
}
