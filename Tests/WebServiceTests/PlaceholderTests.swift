import Testing
import WebService
