import HTTPTypes
import Hummingbird
import RecorderControl

/// The request of a monitoring system: the metrics of all recorders.
package struct MetricsOperations: Sendable {
    let collector: MetricsCollector
    let access: MetricsAccess

    package init(_ collector: MetricsCollector, _ access: MetricsAccess) {
        (self.collector, self.access) = (collector, access)
    }

    func metrics(_ request: WebRequest) async throws -> Response {
        try request.allowQuery()
        if let refusal = access.refusal(authorization: request.headers[.authorization], from: request.address) {
            var response = ControlAnswer.error(refusal)
            // RFC 9110, 15.5.2: the header names the credentials that the client has to send.
            if refusal.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
            return response
        }
        let format = MetricFormat(accepting: request.headers[.accept])
        return ControlAnswer.text(await collector.families().text(format), type: format.contentType)
    }
}
