import {describe, expect, test} from 'vitest'
import {parseBaseUrl} from '../../src/contract/network.js'
import {thrownBy} from '../support/thrown.js'

describe('a base URL', () => {
  test.each([
    ['https://api.example.test/partner-api/v1', 'https://api.example.test/partner-api/v1', false],
    ['https://api.example.test/v1/', 'https://api.example.test/v1', false],
    ['HTTPS://API.Example.TEST:443/v1', 'https://api.example.test/v1', false],
    ['http://127.0.0.1:8080/partner-api/v1', 'http://127.0.0.1:8080/partner-api/v1', true],
    ['http://127.1/v1', 'http://127.0.0.1/v1', true],
  ])('%s is taken as %s', (text, baseUrl, isLoopback) => {
    expect(parseBaseUrl(text)).toEqual({baseUrl, isLoopback})
  })

  test.each([
    ['', /not an absolute URL/],
    ['http://api.example.test/v1', /plain http/],
    ['http://localhost.evil.test/v1', /plain http/],
    ['http://0.0.0.0/v1', /plain http/],
    ['ftp://api.example.test/v1', /https/],
    ['https://api.example.test', /end in \/v1/],
    ['https://api.example.test/V1', /end in \/v1/],
    ['https://api.example.test/v1?', /query/],
    ['https://api.example.test/v1#', /query or fragment/],
    ['https://user:hunter2@api.example.test/v1', /user name/],
    ['https://api.example.test//v1', /empty path/],
    ['https://api.example.test/v1 ', /not an absolute URL/],
    ['https:\\\\api.example.test\\v1', /not an absolute URL/],
  ])('%j is refused', (text, problem) => {
    expect(() => parseBaseUrl(text)).toThrow(problem)
    expect(() => parseBaseUrl(text)).not.toThrow(/hunter2/)
    expect(() => parseBaseUrl(text)).toThrow(expect.objectContaining({kind: 'usage'}))
  })

  test('that is refused is quoted with its place, unless it may hold a secret', () => {
    const messageOf = (text: string) => thrownBy(() => parseBaseUrl(text, 'BOOKCTL_BASE_URL')).message
    expect(messageOf('localhost:4010')).toMatch(/^BOOKCTL_BASE_URL: the base URL "localhost:4010" must start/)
    expect(messageOf('a\u001b[2Jb')).not.toContain('\u001b')
    for (const text of [
      'https://u:hunter2@a/v1',
      'a@hunter2',
      '/v1?k=hunter2',
      'sk_test_hunter2',
      'x#hunter2',
    ])
      expect(messageOf(text)).toMatch(/^BOOKCTL_BASE_URL: the base URL (?!.*hunter2)/)
  })
})
