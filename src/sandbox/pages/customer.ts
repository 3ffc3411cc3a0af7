/** What lies beside the API: the payment page, voucher links, the OpenAPI description, and the sandbox's own page. */
import {openApiDocument} from '../../contract/openapi.js'
import type {Service} from '../base/service.js'
import {checkOrigin} from '../http/guard.js'
import {underFaults} from '../http/perform.js'
import {API_PATH, type App, logRequests, wrongMethod} from '../http/routing.js'
import {showPaymentPage, submitPayment} from './payment.js'
import {addSite} from './routes.js'
import {downloadVoucher} from './voucher.js'

export function addPages(app: App, service: Service): void {
  addSite(app, service)
  app.get('/openapi.json', context =>
    context.json(openApiDocument({serverUrl: context.var.origin + API_PATH})),
  )
  app.get('/pay/:token', logRequests(service, 'payment.page'), context =>
    underFaults(service, 'payment.page', context, async pause => {
      await pause()
      return showPaymentPage(service, context)
    }),
  )
  app.post('/pay/:token', logRequests(service, 'payment.submit'), context => {
    checkOrigin(context.req.raw, context.var.origin)
    return underFaults(service, 'payment.submit', context, async pause => {
      await pause()
      return submitPayment(service, context)
    })
  })
  app.all('/pay/:token', () => {
    throw wrongMethod(['GET', 'POST'])
  })
  app.get('/vouchers/:token', logRequests(service, 'voucher.download'), context =>
    underFaults(service, 'voucher.download', context, async pause => {
      await pause()
      return downloadVoucher(service, context)
    }),
  )
  app.all('/vouchers/:token', () => {
    throw wrongMethod(['GET'])
  })
}
