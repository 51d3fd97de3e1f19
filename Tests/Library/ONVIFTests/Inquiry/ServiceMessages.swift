@testable import ONVIF

/// Responses of cameras' services, in the form of several makers.
enum ServiceMessages {
    static func response(_ body: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            body: Array(
                """
                <?xml version="1.0" encoding="utf-8"?>
                <SOAP-ENV:Envelope xmlns:SOAP-ENV="http://www.w3.org/2003/05/soap-envelope" \
                xmlns:tds="http://www.onvif.org/ver10/device/wsdl" xmlns:trt="http://www.onvif.org/ver10/media/wsdl" \
                xmlns:tt="http://www.onvif.org/ver10/schema" xmlns:ter="http://www.onvif.org/ver10/error">\
                <SOAP-ENV:Header/><SOAP-ENV:Body>\(body)</SOAP-ENV:Body></SOAP-ENV:Envelope>
                """.utf8))
    }

    static func capabilities(media: String) -> HTTPResponse {
        response(
            """
            <tds:GetCapabilitiesResponse><tds:Capabilities>
            <tt:Device><tt:XAddr>http://192.168.1.64/onvif/device_service</tt:XAddr></tt:Device>
            <tt:Media><tt:XAddr>\(media)</tt:XAddr></tt:Media>
            </tds:Capabilities></tds:GetCapabilitiesResponse>
            """)
    }

    static let services = response(
        """
        <tds:GetServicesResponse>
        <tds:Service><tds:Namespace>http://www.onvif.org/ver20/media/wsdl</tds:Namespace>
        <tds:XAddr>http://192.168.1.64/onvif/media2</tds:XAddr></tds:Service>
        <tds:Service><tds:Namespace>http://www.onvif.org/ver10/media/wsdl</tds:Namespace>
        <tds:XAddr>http://192.168.1.64/onvif/media</tds:XAddr></tds:Service>
        </tds:GetServicesResponse>
        """)

    /// Two profiles with video, and one without.
    static let profiles = response(
        """
        <trt:GetProfilesResponse>
        <trt:Profiles token="Profile_1" fixed="true"><tt:Name>mainStream</tt:Name>
        <tt:VideoEncoderConfiguration token="V1"><tt:Name>v1</tt:Name><tt:Encoding>H264</tt:Encoding>
        <tt:Resolution><tt:Width>1920</tt:Width><tt:Height>1080</tt:Height></tt:Resolution>
        <tt:RateControl><tt:FrameRateLimit>25</tt:FrameRateLimit></tt:RateControl>
        </tt:VideoEncoderConfiguration></trt:Profiles>
        <trt:Profiles token="Profile_2"><tt:VideoEncoderConfiguration><tt:Encoding>JPEG</tt:Encoding>
        <tt:Resolution><tt:Width>-640</tt:Width><tt:Height>99999999999999999999</tt:Height></tt:Resolution>
        <tt:RateControl><tt:FrameRateLimit>nan</tt:FrameRateLimit></tt:RateControl>
        </tt:VideoEncoderConfiguration></trt:Profiles>
        <trt:Profiles token="Audio"><tt:Name>audio</tt:Name></trt:Profiles>
        <trt:Profiles><tt:VideoEncoderConfiguration/></trt:Profiles>
        </trt:GetProfilesResponse>
        """)

    static func streamURL(_ url: String) -> HTTPResponse {
        response(
            """
            <trt:GetStreamUriResponse><trt:MediaUri><tt:Uri>\(url)</tt:Uri>
            <tt:InvalidAfterConnect>false</tt:InvalidAfterConnect><tt:Timeout>PT0S</tt:Timeout>
            </trt:MediaUri></trt:GetStreamUriResponse>
            """)
    }

    static let notAuthorized = response(
        """
        <SOAP-ENV:Fault><SOAP-ENV:Code><SOAP-ENV:Value>SOAP-ENV:Sender</SOAP-ENV:Value><SOAP-ENV:Subcode>
        <SOAP-ENV:Value>ter:NotAuthorized</SOAP-ENV:Value></SOAP-ENV:Subcode></SOAP-ENV:Code>
        <SOAP-ENV:Reason><SOAP-ENV:Text xml:lang="en">Sender not Authorized</SOAP-ENV:Text></SOAP-ENV:Reason>
        </SOAP-ENV:Fault>
        """, status: 400)

    static let notSupported = response(
        """
        <SOAP-ENV:Fault><SOAP-ENV:Code><SOAP-ENV:Value>SOAP-ENV:Receiver</SOAP-ENV:Value></SOAP-ENV:Code>
        <SOAP-ENV:Reason><SOAP-ENV:Text xml:lang="en">Action not supported</SOAP-ENV:Text></SOAP-ENV:Reason>
        </SOAP-ENV:Fault>
        """, status: 500)
}
